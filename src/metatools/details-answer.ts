import type { JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import { describeTool } from "./describe-tool.js";
import type { ToolDetails } from "./tool-details.js";

/**
 * Converts a tool to the result of `get_tool_details`. `required` is only present if it is true, which saves tokens. If
 * something was cut, the member `cut` says so; `readAll` is the sentence in it that says how to read everything.
 */
export function toDetailsAnswer(tool: Tool, readAll = "Call again with full: true."): JsonObject {
  const described = describeTool(tool);
  const { full: _uri, ...details } = described;
  const parameters = details.parameters.map(({ required, ...rest }) => (required ? { ...rest, required } : rest));
  const cut = describeCut(described, readAll);
  return { ...details, parameters, ...(cut === undefined ? {} : { cut }), ...toState(tool) };
}

/** Says what was cut from the details of a tool and how to read it; undefined if nothing was cut. */
export function describeCut({ full, omitted }: ToolDetails, readAll: string): string | undefined {
  if (full === undefined) return undefined;
  return `${omitted === undefined ? "Descriptions" : "Large parts"} are shortened. ${readAll}`;
}

/** The result of `get_tool_details` with `full: true`: the definition of the tool, as the server sent it. */
export function toFullAnswer(tool: Tool): JsonObject {
  const { title, description, inputSchema, outputSchema, annotations } = tool.definition;
  return {
    server: tool.server,
    tool: tool.name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
    ...toState(tool),
  };
}

function toState({ enabled }: Tool): JsonObject {
  return enabled ? {} : { enabled: false };
}
