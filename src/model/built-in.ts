import type { CallResult } from "./call.js";
import type { JsonObject } from "./json.js";
import type { Tool, ToolDefinition } from "./tool.js";

/** The name of the server under which the gateway's built-in tools appear. */
export const BUILT_IN_SERVER = "anygpt";

/** A tool of the built-in server: the gateway runs it in its own process. */
export interface BuiltInTool {
  readonly definition: ToolDefinition;
  run(args: JsonObject, request: BuiltInRequest): Promise<CallResult>;
}

export interface BuiltInRequest {
  readonly signal: AbortSignal;
  /** Whether a user has confirmed exactly this call; the caller's own confirmation does not count. */
  readonly isConfirmed: boolean;
}

const text = (description: string): JsonObject => ({ type: "string", description });

/**
 * The tool with which a caller reads more of a stored result. Every caller can call it, whatever rules and views apply,
 * but neither lists nor searches contain it: the shortened result names the call.
 */
export const READ_RESULT: Tool = {
  id: `${BUILT_IN_SERVER}:read_result`,
  server: BUILT_IN_SERVER,
  name: "read_result",
  definition: {
    name: "read_result",
    title: "Read a stored result",
    description:
      "Read a part of a result that was shortened: pass its id and one of select, grep, lines, items or page. With the id alone, returns the overview again.",
    inputSchema: {
      type: "object",
      properties: {
        result: text("id of the stored result"),
        select: text("JMESPath expression"),
        grep: text("regular expression (RE2); returns the matching lines"),
        context: { type: "integer", description: "with grep: lines around each match, default 2" },
        ignore_case: { type: "boolean", description: "with grep" },
        lines: text('lines, such as "120-180" or "-50" for the last 50'),
        items: text('elements of an array, such as "0-49"'),
        page: { type: "integer", description: "page of the unchanged text, from 1" },
        path: text("JMESPath expression: grep, lines, items or page read only this part"),
      },
      required: ["result"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  hash: "built-in",
  enabled: true,
  tags: [],
};
