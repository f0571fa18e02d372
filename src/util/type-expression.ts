import { isJsonObject, type JsonObject } from "../model/json.js";

/**
 * A JSON Schema as a short type expression in the manner of TypeScript, with the bounds a caller must know:
 * `string`, `"open"|"closed"`, `integer 1..100`, `{path: string, head?: number}[]`.
 */
export function toTypeExpression(schema: unknown, root: unknown = schema): string {
  return express(schema, { root, depth: 0, seen: [] });
}

interface Place {
  readonly root: unknown;
  readonly depth: number;
  /** References on the way here; a second visit is a cycle. */
  readonly seen: readonly string[];
}

const MAX_DEPTH = 5;
const MAX_ALTERNATIVES = 40;

function express(schema: unknown, place: Place): string {
  if (!isJsonObject(schema) || place.depth > MAX_DEPTH) return "any";
  if (typeof schema["$ref"] === "string") return expressReference(schema["$ref"], place);
  if ("const" in schema) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"])) return alternatives(schema["enum"].map((value) => JSON.stringify(value)));
  const inner: Place = { ...place, depth: place.depth + 1 };
  for (const key of ["anyOf", "oneOf"]) {
    const options = schema[key];
    if (Array.isArray(options)) return alternatives(options.map((option) => express(option, inner)));
  }
  if (Array.isArray(schema["allOf"])) return expressAll(schema, schema["allOf"], place);
  const type = schema["type"];
  if (Array.isArray(type)) return alternatives(type.map((one) => express({ ...schema, type: one }, place)));
  if (type === "array" || (type === undefined && "items" in schema)) return expressArray(schema, inner);
  if (type === "object" || (type === undefined && "properties" in schema)) return expressObject(schema, inner);
  return typeof type === "string" ? `${type}${bounds(schema)}` : "any";
}

function expressReference(reference: string, place: Place): string {
  if (place.seen.includes(reference)) return reference.slice(reference.lastIndexOf("/") + 1) || "any";
  return express(followReference(reference, place.root), { ...place, seen: [...place.seen, reference] });
}

/** Only references within the same document are followed. */
export function followReference(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#")) return undefined;
  let found: unknown = root;
  for (const step of reference.slice(1).split("/").slice(1)) {
    const key = decodeStep(step).replaceAll("~1", "/").replaceAll("~0", "~");
    found = isJsonObject(found) || Array.isArray(found) ? (found as JsonObject)[key] : undefined;
  }
  return found;
}

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

function expressAll(schema: JsonObject, parts: readonly unknown[], place: Place): string {
  const { allOf: _parts, ...own } = schema;
  const all = Object.keys(own).some((key) => key === "type" || key === "properties") ? [own, ...parts] : parts;
  const texts = new Set(all.map((part) => express(part, place)).filter((text) => text !== "any"));
  return [...texts].join(" & ") || "any";
}

function expressArray(schema: JsonObject, inner: Place): string {
  if (Array.isArray(schema["prefixItems"])) {
    return `[${schema["prefixItems"].map((item) => express(item, inner)).join(", ")}]`;
  }
  const item = schema["items"] === undefined ? "any" : express(schema["items"], inner);
  const text = /[|&]| /.test(item) && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
  return `${text}${range(schema["minItems"], schema["maxItems"], " items")}`;
}

function expressObject(schema: JsonObject, inner: Place): string {
  const properties = isJsonObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const extra = schema["additionalProperties"];
  if (properties.length === 0) return isJsonObject(extra) ? `{[key]: ${express(extra, inner)}}` : "object";
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const members = properties.map(
    ([name, member]) => `${name}${required.has(name) ? "" : "?"}: ${express(member, inner)}${defaultOf(member)}`,
  );
  if (isJsonObject(extra)) members.push(`[key]: ${express(extra, inner)}`);
  return `{${members.join(", ")}}`;
}

export function defaultOf(schema: unknown): string {
  return isJsonObject(schema) && "default" in schema ? ` = ${JSON.stringify(schema["default"])}` : "";
}

function alternatives(texts: readonly string[]): string {
  const unique = [...new Set(texts)];
  const shown = unique.slice(0, MAX_ALTERNATIVES).join("|");
  return unique.length > MAX_ALTERNATIVES ? `${shown}|… ${unique.length - MAX_ALTERNATIVES} more` : shown;
}

function bounds(schema: JsonObject): string {
  const parts: string[] = [];
  if (typeof schema["format"] === "string") parts.push(` ${schema["format"]}`);
  parts.push(range(schema["minimum"], schema["maximum"], ""));
  parts.push(range(schema["minLength"], schema["maxLength"], " chars"));
  if ("exclusiveMinimum" in schema) parts.push(` >${String(schema["exclusiveMinimum"])}`);
  if ("exclusiveMaximum" in schema) parts.push(` <${String(schema["exclusiveMaximum"])}`);
  if ("multipleOf" in schema) parts.push(` multiple of ${String(schema["multipleOf"])}`);
  if (typeof schema["pattern"] === "string") parts.push(` /${schema["pattern"]}/`);
  return parts.join("");
}

/** The widest integers, which generators write for "no bound", say nothing to a caller. */
function range(low: unknown, high: unknown, unit: string): string {
  const min = typeof low === "number" && low > -Number.MAX_SAFE_INTEGER ? String(low) : "";
  const max = typeof high === "number" && high < Number.MAX_SAFE_INTEGER ? String(high) : "";
  if ((min === "" || (min === "0" && unit !== "")) && max === "") return "";
  return min === max ? ` ${min}${unit}` : ` ${min}..${max}${unit}`;
}
