import type { ArgumentSpec } from "./command.js";

export const SERVER: ArgumentSpec = { syntax: "<server>", summary: "name of a server", completes: "server" };
/** The first word of a tool reference; the form `SERVER TOOL` has two words. */
export const TARGET: ArgumentSpec = {
  syntax: "<tool>",
  summary: "SERVER:TOOL as printed by search, SERVER TOOL, or only TOOL if exactly one server has a tool of that name",
  completes: "target",
};
export const TOOL: ArgumentSpec = { syntax: "<tool>", summary: "name of one of the server's tools", completes: "tool" };
