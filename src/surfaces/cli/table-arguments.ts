import type { ArgumentSpec } from "./command.js";

export const SERVER: ArgumentSpec = { syntax: "<server>", summary: "name of a server", completes: "server" };
export const TOOL: ArgumentSpec = { syntax: "<tool>", summary: "name of one of its tools", completes: "tool" };
