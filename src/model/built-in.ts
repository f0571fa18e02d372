import type { CallResult } from "./call.js";
import type { JsonObject } from "./json.js";
import type { ToolDefinition } from "./tool.js";

/** The name of the server under which the gateway's built-in tools appear. */
export const BUILT_IN_SERVER = "anygpt";

/** A tool of the built-in server: the gateway runs it in its own process. */
export interface BuiltInTool {
  readonly definition: ToolDefinition;
  run(args: JsonObject, signal: AbortSignal): Promise<CallResult>;
}
