import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { Tool } from "../../model/tool.js";
import { all, EMAIL_ADDRESS, QUOTED, WEB_ADDRESS } from "../../search/request/payload.js";
import { isReading } from "../../search/request/actions.js";
import { interpretRequest, type RequestFacts } from "../../search/request/request.js";
import { toStem } from "../../search/stem.js";
import { readTraits, splitName } from "../../search/traits.js";
import { toSearchDocument } from "../search-document.js";

/**
 * Whether the query does not ask for what the tool destroys: the tool deletes something, or its risk is `destructive`,
 * and the query has neither such a verb nor the action or a word of the tool's name.
 */
export function isUnaskedDestruction(query: string, tool: Tool, risk: string): boolean {
  const { isDestructive, actions, stems } = interpretRequest(query);
  const { action } = readTraits(toSearchDocument(tool, undefined));
  if (isDestructive || (action !== "delete" && risk !== "destructive")) return false;
  const isNamed = splitName(tool.name).some((word) => stems.get(toStem(word)) === 1);
  return action === "delete" || !(isNamed || (action !== undefined && actions.has(action)));
}

/**
 * Whether the query only asks to read and the REST operation changes something, or the reverse. Unknown actions never
 * contradict each other.
 */
export function contradictsRequest({ actions }: Pick<RequestFacts, "actions">, tool: Tool): boolean {
  const { action, hasMethod } = readTraits(toSearchDocument(tool, undefined));
  const wanted = [...actions];
  if (!hasMethod || action === undefined || wanted.length === 0) return false;
  if (action === "run" || actions.has("run")) return false;
  return isReading(action) ? !wanted.some(isReading) : wanted.every(isReading);
}

/**
 * Reads the values of a tool's parameters that the query states: an e-mail address, a URL, a value of an enumeration, a
 * value after the parameter's name ("page 3", "title 'New'"), or the only quoted text. Values that could belong to two parameters are
 * not read.
 */
export function readStatedValues(query: string, tool: Tool): JsonObject {
  const { properties, required } = tool.definition.inputSchema;
  if (!isJsonObject(properties)) return {};
  const isRequired = new Set(Array.isArray(required) ? required : []);
  const stated: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties)) {
    if (!isJsonObject(schema)) continue;
    const value = readValue(query, name, schema);
    if (value !== undefined) stated[name] = value;
  }
  const texts = Object.entries(properties).filter(
    ([name, schema]) =>
      isRequired.has(name) && stated[name] === undefined && isJsonObject(schema) && schema["type"] === "string",
  );
  const [only] = texts;
  const named = new Set(Object.values(stated));
  const quoted = [...query.matchAll(all(QUOTED))]
    .flatMap((match) => match.slice(1).filter((one) => one !== undefined))
    .filter((text) => !named.has(text));
  if (texts.length === 1 && only !== undefined && quoted.length === 1) stated[only[0]] = quoted[0];
  return stated;
}

function readValue(query: string, name: string, schema: JsonObject): unknown {
  const { type, format, enum: values } = schema;
  const words = splitName(name);
  if (Array.isArray(values)) return findListed(query, values);
  if (type === "string" && (format === "email" || words.includes("email"))) return EMAIL_ADDRESS.exec(query)?.[0];
  if (type === "string" && (format === "uri" || words.includes("url"))) return WEB_ADDRESS.exec(query)?.[0];
  const said = `\\b${words.join("[ _-]?").replaceAll(/[^\p{L}\p{N}[\] _?-]/gu, "")}(?: is| of| to|:| =|=)? ?`;
  if (type === "integer" || type === "number") {
    const found = new RegExp(`${said}(-?\\d+(?:\\.\\d+)?)\\b`, "iu").exec(query)?.[1];
    const number = found === undefined ? Number.NaN : Number(found);
    return Number.isFinite(number) && (type === "number" || Number.isInteger(number)) ? number : undefined;
  }
  if (type === "string") {
    const quoted = new RegExp(`${said}(?:${QUOTED.source})`, "iu").exec(query)?.slice(1);
    const found = new RegExp(`${said}["'\`“]?([\\p{L}_-]*\\p{N}[\\p{L}\\p{N}_.-]*)`, "iu").exec(query);
    return quoted?.find((one) => one !== undefined) ?? found?.[1]?.replace(/[.]$/u, "");
  }
  return undefined;
}

/** The only value of an enumeration that the query contains as a word. */
function findListed(query: string, values: readonly unknown[]): unknown {
  const words = new Set(query.toLowerCase().split(/[^\p{L}\p{N}_-]+/u));
  const found = values.filter(
    (value) => typeof value === "string" && value.length > 2 && words.has(value.toLowerCase()),
  );
  return found.length === 1 ? found[0] : undefined;
}
