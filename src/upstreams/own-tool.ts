import type { CallResult } from "../model/call.js";
import type { JsonObject } from "../model/json.js";
import type { ToolDefinition } from "../model/tool.js";

/** A tool of the gateway itself, of a server that is built in. */
export interface OwnTool {
  readonly definition: ToolDefinition;
  run(args: JsonObject, signal: AbortSignal): Promise<CallResult>;
}
