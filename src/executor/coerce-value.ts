// Converts argument values to the type that a JSON Schema requires, if the conversion loses nothing. Models often send
// "3" for a number or one element for an array of it.
import { isJsonObject, type JsonObject } from "../model/json.js";
import { parseStrictJson } from "../util/json/parse-strict.js";
import { toPointerStep } from "../util/json/violation.js";

/** A converted value. It contains no part of the value, which may be a secret. */
export interface Coercion {
  /** JSON pointer to the value in the arguments. */
  readonly path: string;
  readonly from: JsonType;
  readonly to: JsonType;
}

export interface CoercedValue {
  readonly value: unknown;
  /** Empty if nothing was converted; `value` is then the same object as the given one. */
  readonly coercions: readonly Coercion[];
}

export type JsonType = "null" | "boolean" | "number" | "string" | "array" | "object";

interface Position {
  readonly root: unknown;
  readonly path: string;
  readonly depth: number;
  /** Whether one value may become an array of this value. False inside such an array: `3` does not become `[[3]]`. */
  readonly mayWrap: boolean;
  readonly coercions: Coercion[];
}

const MAX_DEPTH = 16;
const MAX_REFERENCES = 8;
const MAX_COERCIONS = 100;

/**
 * Returns the value with every part converted whose type the schema forbids and for which exactly one lossless
 * conversion exists. A part whose type the schema allows is never converted. The result is not validated: the caller
 * has to validate it, and to use the given value if the result is invalid.
 */
export function coerceValue(schema: unknown, given: unknown): CoercedValue {
  const coercions: Coercion[] = [];
  const value = coerce(schema, given, { root: schema, path: "", depth: 0, mayWrap: true, coercions });
  return coercions.length === 0 ? { value: given, coercions } : { value, coercions };
}

function coerce(schema: unknown, value: unknown, at: Position): unknown {
  if (at.depth > MAX_DEPTH || at.coercions.length >= MAX_COERCIONS) return value;
  const alternatives = alternativesOf(schema, at.root);
  const types = new Set<JsonType>();
  for (const one of alternatives) {
    const allowed = typesOf(one);
    if (allowed === undefined) return coerceInside(alternatives, value, at);
    for (const type of allowed) types.add(type);
  }
  const from = typeOf(value);
  if (from === undefined || types.has(from)) return coerceInside(alternatives, value, at);
  const candidates = [...types].flatMap((to) => convert(value, to, at));
  const [only] = candidates;
  if (only === undefined || candidates.length > 1) return value;
  at.coercions.push({ path: at.path, from, to: only.to });
  return coerceInside(alternatives, only.value, { ...at, mayWrap: only.isWrapped !== true });
}

interface Converted {
  readonly to: JsonType;
  readonly value: unknown;
  readonly isWrapped?: true;
}

function convert(value: unknown, to: JsonType, { mayWrap }: Position): Converted[] {
  switch (to) {
    case "number":
      return typeof value === "string" && isExactNumber(value) ? [{ to, value: Number(value) }] : [];
    case "boolean":
      return value === "true" || value === "false" ? [{ to, value: value === "true" }] : [];
    case "string":
      return typeof value === "number" && isExactNumber(String(value)) ? [{ to, value: String(value) }] : [];
    case "object":
      return typeof value === "string" ? parsed(value, to) : [];
    case "array": {
      const list = typeof value === "string" ? parsed(value, to) : [];
      if (list.length > 0) return list;
      return mayWrap && value !== null ? [{ to, value: [value], isWrapped: true }] : [];
    }
    case "null":
      return [];
  }
}

/** Parses a text that contains one JSON object or array, and no other value. */
function parsed(text: string, to: "array" | "object"): Converted[] {
  if (!text.trimStart().startsWith(to === "array" ? "[" : "{")) return [];
  const strict = parseStrictJson(text);
  return strict.kind === "value" && typeOf(strict.value) === to ? [{ to, value: strict.value }] : [];
}

/**
 * Whether the text is the only usual way to write its number, so that the conversion can be undone: not `007`, `1.0`,
 * `0x10`, `1e3` or an integer beyond 2^53.
 */
function isExactNumber(text: string): boolean {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text)) return false;
  const number = Number(text);
  return String(number) === text && (!Number.isInteger(number) || Number.isSafeInteger(number));
}

/** Converts the members of an object or the items of an array. Does nothing if several alternatives describe them. */
function coerceInside(alternatives: readonly JsonObject[], value: unknown, at: Position): unknown {
  if (typeof value !== "object" || value === null) return value;
  const type = typeOf(value);
  const fitting = alternatives.filter((one) => {
    const allowed = typesOf(one);
    return allowed === undefined || (type !== undefined && allowed.has(type));
  });
  const [schema] = fitting;
  if (schema === undefined || fitting.length > 1) return value;
  const inner = (key: string | number): Position => ({
    ...at,
    path: `${at.path}${toPointerStep(key)}`,
    depth: at.depth + 1,
    mayWrap: typeof key === "string" || at.mayWrap,
  });
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!isJsonObject(items) || schema["prefixItems"] !== undefined) return value;
    return mapIfChanged(value, (item, index) => coerce(items, item, inner(index)));
  }
  const { properties, additionalProperties } = schema;
  const schemas = isJsonObject(properties) ? properties : {};
  const isPatterned = schema["patternProperties"] !== undefined;
  let changed: JsonObject | undefined;
  for (const [name, member] of Object.entries(value)) {
    const known = Object.hasOwn(schemas, name) ? schemas[name] : isPatterned ? undefined : additionalProperties;
    const next = isJsonObject(known) ? coerce(known, member, inner(name)) : member;
    if (next !== member) (changed ??= { ...(value as JsonObject) })[name] = next;
  }
  return changed ?? value;
}

function mapIfChanged(
  items: readonly unknown[],
  change: (item: unknown, index: number) => unknown,
): readonly unknown[] {
  const changed = items.map(change);
  return changed.some((item, index) => item !== items[index]) ? changed : items;
}

/**
 * The schemas of which a value has to match one: the branches of `anyOf` or `oneOf`, or the schema itself. References
 * within the document and an `allOf` with one entry are followed.
 */
function alternativesOf(schema: unknown, root: unknown, hops = 0): JsonObject[] {
  if (!isJsonObject(schema)) return schema === false ? [] : [{}];
  if (hops > MAX_REFERENCES) return [{}];
  const { $ref: reference, allOf } = schema;
  if (typeof reference === "string") return alternativesOf(resolve(reference, root), root, hops + 1);
  const hasOwnType = typesOf(schema) !== undefined;
  if (!hasOwnType && Array.isArray(allOf) && allOf.length === 1) return alternativesOf(allOf[0], root, hops + 1);
  const branches = schema["anyOf"] ?? schema["oneOf"];
  if (hasOwnType || !Array.isArray(branches)) return [schema];
  return branches.flatMap((branch) => alternativesOf(branch, root, hops + 1));
}

/** Returns the schema at a local reference such as `#/$defs/Filter`. Any other reference allows every value. */
function resolve(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#/")) return {};
  let found: unknown = root;
  for (const step of reference.slice(2).split("/")) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isJsonObject(found) || !Object.hasOwn(found, name)) return {};
    found = found[name];
  }
  return found;
}

const TYPES = new Set<unknown>(["null", "boolean", "number", "string", "array", "object"]);

/** The types that a schema allows by `type`, `enum` or `const`. Undefined if it allows every type. */
function typesOf(schema: JsonObject): ReadonlySet<JsonType> | undefined {
  const { type, enum: choices } = schema;
  if (type !== undefined) {
    const listed = (Array.isArray(type) ? type : [type]).map((one) => (one === "integer" ? "number" : one));
    return listed.every((one) => TYPES.has(one)) ? new Set(listed as JsonType[]) : undefined;
  }
  const values = Array.isArray(choices) ? choices : "const" in schema ? [schema["const"]] : undefined;
  return values && new Set(values.flatMap((one) => typeOf(one) ?? []));
}

function typeOf(value: unknown): JsonType | undefined {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "boolean" || type === "number" || type === "string" || type === "object" ? type : undefined;
}
