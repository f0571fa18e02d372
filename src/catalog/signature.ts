import type { ToolDefinition } from "../model/tool.js";
import { isJsonObject } from "../model/json.js";
import { cutAtWord } from "../util/text.js";
import { createTypeWriter, toTypeExpression } from "../util/type-expression.js";

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

/** The maximum length of the parameters in a search answer, in characters. 87 % of real tools have shorter ones. */
const MAX_SHORT_LENGTH = 320;
const shortSignatures = new WeakMap<ToolDefinition, string>();

/**
 * Returns the parameters of a tool, for example `(repo: string, title: string, body?: string)`. Returns undefined if
 * they are too long for a search answer or if they need named types. Never cuts a part; `…` replaces types that cannot
 * be expressed.
 */
export function toShortSignature(definition: ToolDefinition): string | undefined {
  const known = shortSignatures.get(definition) ?? writeShortSignature(definition);
  shortSignatures.set(definition, known);
  return known === "" ? undefined : known;
}

/** Returns an empty string if there is no short signature. */
function writeShortSignature({ inputSchema }: ToolDefinition): string {
  const { properties, required, additionalProperties: rest } = inputSchema;
  const writer = createTypeWriter(inputSchema, { noteLength: 0, maxUnnamedLength: MAX_SHORT_LENGTH });
  const { text } = writer.write({ type: "object", properties: requiredFirst(properties, required), required });
  if (text.length > MAX_SHORT_LENGTH || Object.keys(writer.types()).length > 0) return "";
  const members = text.startsWith("{") ? text.slice(1, -1) : "";
  const isTypedMap = isJsonObject(rest) && Object.keys(rest).length > 0;
  const isConditional = isTypedMap || CONDITIONS.some((keyword) => inputSchema[keyword] !== undefined);
  const signature = `(${[members, isConditional ? "…" : ""].filter((part) => part !== "").join(", ")})`;
  return signature.length > MAX_SHORT_LENGTH ? "" : signature;
}

function requiredFirst(properties: unknown, required: unknown): unknown {
  if (!isJsonObject(properties) || !Array.isArray(required)) return properties;
  const isRequired = new Set<unknown>(required);
  const entries = Object.entries(properties);
  return Object.fromEntries([
    ...entries.filter(([name]) => isRequired.has(name)),
    ...entries.filter(([name]) => !isRequired.has(name)),
  ]);
}
