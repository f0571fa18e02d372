import type { ArgumentSpec } from "./command.js";

export const SERVER: ArgumentSpec = { syntax: "<server>", summary: "name of a server", completes: "server" };
/** The first word of what names a tool; `SERVER TOOL` has it in two. */
export const TARGET: ArgumentSpec = {
  syntax: "<tool>",
  summary: "SERVER:TOOL as search prints it, SERVER TOOL, or TOOL where one server has a tool of that name",
  completes: "target",
};
export const TOOL: ArgumentSpec = { syntax: "<tool>", summary: "name of one of its tools", completes: "tool" };
