import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { Tool } from "../../model/tool.js";
import { all, EMAIL_ADDRESS, QUOTED, WEB_ADDRESS } from "../../search/request/payload.js";
import { interpretRequest } from "../../search/request/request.js";
import { readTraits, splitName } from "../../search/traits.js";
import { toSearchDocument } from "../search-document.js";

/** Whether the tool deletes something although the query does not ask for it. */
export function isUnaskedDeletion(query: string, tool: Tool): boolean {
  return readTraits(toSearchDocument(tool, undefined)).action === "delete" && !interpretRequest(query).isDestructive;
}

/**
 * Reads the values of a tool's parameters that the query states: an e-mail address, a URL, a value of an enumeration, a
 * value after the parameter's name ("page 3"), or the only quoted text. Values that could belong to two parameters are
 * not read.
 */
export function readStatedValues(query: string, tool: Tool): JsonObject {
  const { properties, required } = tool.definition.inputSchema;
  if (!isJsonObject(properties)) return {};
  const isRequired = new Set(Array.isArray(required) ? required : []);
  const quoted = [...query.matchAll(all(QUOTED))].flatMap((match) => match.slice(1).filter((one) => one !== undefined));
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
  if (texts.length === 1 && only !== undefined && quoted.length === 1) stated[only[0]] = quoted[0];
  return stated;
}

function readValue(query: string, name: string, schema: JsonObject): unknown {
  const { type, format, enum: values } = schema;
  const words = splitName(name);
  if (Array.isArray(values)) return findListed(query, values);
  if (type === "string" && (format === "email" || words.includes("email"))) return EMAIL_ADDRESS.exec(query)?.[0];
  if (type === "string" && (format === "uri" || words.includes("url"))) return WEB_ADDRESS.exec(query)?.[0];
  const said = words.join("[ _-]?").replaceAll(/[^\p{L}\p{N}[\] _?-]/gu, "");
  if (type === "integer" || type === "number") {
    const found = new RegExp(`\\b${said}(?: is| of| to|:| =|=)? ?(-?\\d+(?:\\.\\d+)?)\\b`, "iu").exec(query)?.[1];
    const number = found === undefined ? Number.NaN : Number(found);
    return Number.isFinite(number) && (type === "number" || Number.isInteger(number)) ? number : undefined;
  }
  if (type === "string") {
    const found = new RegExp(
      `\\b${said}(?: is| of| to|:| =|=)? ?["'\`“]?([\\p{L}_-]*\\p{N}[\\p{L}\\p{N}_.-]*)`,
      "iu",
    ).exec(query);
    return found?.[1]?.replace(/[.]$/u, "");
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
