import { isJsonObject, type JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import { cutAtWord, toOneLine } from "../util/text.js";
import { defaultOf, followReference, toTypeExpression } from "../util/type-expression.js";

export interface ToolParameter {
  readonly name: string;
  /** A compact type expression: `string`, `"open"|"closed"`, `integer 1..100`, `{path: string}[]`. */
  readonly type: string;
  readonly required: boolean;
  readonly description?: string;
}

export interface ToolExample {
  readonly description?: string;
  readonly parameters: JsonObject;
}

export interface ToolDetails {
  readonly server: string;
  readonly tool: string;
  readonly description: string;
  readonly parameters: readonly ToolParameter[];
  readonly examples?: readonly ToolExample[];
  /** The raw schema, where parameters cannot tell the whole of it. */
  readonly inputSchema?: JsonObject;
  /** The resource with the whole definition, where something was cut. */
  readonly full?: string;
}

const DESCRIPTION_LENGTH = 300;
const PARAMETER_LENGTH = 120;
const TYPE_LENGTH = 400;

export function toolUri(tool: Tool): string {
  return `anygpt://tools/${encodeURIComponent(tool.server)}/${encodeURIComponent(tool.name)}`;
}

/** What a caller needs to know, in few tokens; the resource has every word. */
export function describeTool(tool: Tool): ToolDetails {
  const { description = tool.definition.title ?? "", inputSchema } = tool.definition;
  const parameters = toParameters(inputSchema);
  const shown = cut(description, DESCRIPTION_LENGTH);
  const examples = toExamples(inputSchema["examples"]);
  const isCut = [shown, ...parameters.flatMap(({ type, description: about = "" }) => [type, about])].some(endsCut);
  return {
    server: tool.server,
    tool: tool.name,
    description: shown,
    parameters,
    ...(examples.length > 0 ? { examples } : {}),
    ...(isToldByParameters(inputSchema) ? {} : { inputSchema }),
    ...(isCut ? { full: toolUri(tool) } : {}),
  };
}

export function toParameters(schema: JsonObject): ToolParameter[] {
  if (!isJsonObject(schema["properties"])) return [];
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  return Object.entries(schema["properties"]).map(([name, member]) => {
    const description = descriptionOf(member, schema);
    return {
      name,
      type: cutAtWord(`${toTypeExpression(member, schema)}${defaultOf(member)}`, TYPE_LENGTH),
      required: required.has(name),
      ...(description === "" ? {} : { description: cut(description, PARAMETER_LENGTH) }),
    };
  });
}

function descriptionOf(member: unknown, root: JsonObject): string {
  if (!isJsonObject(member)) return "";
  if (typeof member["description"] === "string") return member["description"];
  const target = typeof member["$ref"] === "string" ? followReference(member["$ref"], root) : undefined;
  return isJsonObject(target) && typeof target["description"] === "string" ? target["description"] : "";
}

/** Conditions across parameters cannot be said parameter by parameter. */
function isToldByParameters(schema: JsonObject): boolean {
  return ![
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
    "$ref",
  ].some((keyword) => keyword in schema);
}

function toExamples(examples: unknown): ToolExample[] {
  if (!Array.isArray(examples)) return [];
  return examples
    .filter(isJsonObject)
    .slice(0, 3)
    .map((parameters) => ({ parameters }));
}

function endsCut(text: string): boolean {
  return text.endsWith("…");
}

/** Cuts after a sentence where one ends in the last part, else at a word. */
function cut(text: string, length: number): string {
  const line = toOneLine(text);
  if (line.length <= length) return line;
  const end = line.lastIndexOf(". ", length - 2);
  return end > length / 2 ? `${line.slice(0, end + 1)}…` : cutAtWord(line, length);
}
