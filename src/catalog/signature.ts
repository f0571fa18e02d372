import { isJsonObject } from "../model/json.js";
import type { ToolDefinition } from "../model/tool.js";
import { toTypeExpression } from "../util/type-expression.js";

/** `create_issue(repo: string, title: string, body?: string)`. */
export function toSignature({ name, inputSchema }: ToolDefinition): string {
  const type = toTypeExpression(inputSchema);
  return type.startsWith("{") && isJsonObject(inputSchema["properties"])
    ? `${name}(${type.slice(1, -1)})`
    : `${name}()`;
}
