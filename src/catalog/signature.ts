import type { ToolDefinition } from "../model/tool.js";
import { cutAtWord } from "../util/text.js";
import { toTypeExpression } from "../util/type-expression.js";

/**
 * The maximum length of a signature in characters. A longer one is truncated, because it is only a hint in answers and
 * errors.
 */
const MAX_LENGTH = 1_000;
const CONDITIONS = ["anyOf", "oneOf", "allOf", "not", "if", "dependentRequired", "dependentSchemas", "$ref"];

/**
 * Returns for example `create_issue(repo: string, title: string, body?: string)`; `…` replaces types that cannot be
 * expressed.
 */
export function toSignature({ name, inputSchema }: ToolDefinition): string {
  const { properties, required } = inputSchema;
  const type = toTypeExpression({ type: "object", properties, required }, inputSchema);
  const members = type.startsWith("{") ? cutAtWord(type.slice(1, -1), MAX_LENGTH) : "";
  const isConditional = CONDITIONS.some((keyword) => inputSchema[keyword] !== undefined);
  return `${name}(${[members, isConditional ? "…" : ""].filter((part) => part !== "").join(", ")})`;
}
