import { isJsonObject, type JsonObject } from "../model/json.js";
import type { References } from "./references.js";
import { isReadOnly, isUsableName } from "./schema/lift.js";

/** The members of a request body whose schema is a plain object. */
export interface BodyMembers {
  readonly properties: ReadonlyMap<string, unknown>;
  readonly required: ReadonlySet<string>;
  /**
   * Alternative sets of required members. Of each entry's branches, at least one (`anyOf`) or exactly one (`oneOf`)
   * must have all its members present.
   */
  readonly alternatives: readonly Alternatives[];
}

export interface Alternatives {
  readonly keyword: "anyOf" | "oneOf";
  readonly branches: readonly (readonly string[])[];
}

const MAX_MEMBERS = 1_000;
const MAX_DEPTH = 10;
/** The maximum number of subschemas in one body. A subschema counts each time it is referenced. */
const MAX_PARTS = 5_000;

/**
 * Returns the members of a request body's schema, with `allOf` merged. Undefined if the schema is not a plain object
 * (lists, alternatives, maps with arbitrary keys) or has too many subschemas. Alternatives that differ only in
 * `required` are returned separately.
 */
export function bodyMembers(raw: unknown, references: References): BodyMembers | undefined {
  const found = read(raw, { references, known: new Map(), partsLeft: MAX_PARTS }, 0);
  if (found === undefined || found.properties.size > MAX_MEMBERS) return undefined;
  const usable = [...found.properties].filter(([name]) => isUsableName(name) && !found.readOnly.has(name));
  const properties = new Map(usable.map(([name, schemas]) => [name, combine([...schemas])]));
  return {
    properties,
    required: new Set([...found.required].filter((name) => properties.has(name))),
    // Drop branches that require a member that the body does not have: they can never be satisfied.
    alternatives: [...found.alternatives]
      .map(({ keyword, branches }) => ({
        keyword,
        branches: branches.filter((branch) => branch.every((name) => properties.has(name))),
      }))
      .filter(({ branches }) => branches.length > 0),
  };
}

function combine(schemas: readonly unknown[]): unknown {
  return schemas.length === 1 ? schemas[0] : { allOf: schemas };
}

/** What was found in a schema and its subschemas. Sets, because several paths may lead to the same subschema. */
interface Found {
  readonly properties: Map<string, Set<unknown>>;
  readonly required: Set<string>;
  readonly readOnly: Set<string>;
  readonly alternatives: Set<Alternatives>;
}

interface Reading {
  readonly references: References;
  /** Results for the schema objects that were already read. */
  readonly known: Map<JsonObject, Found>;
  partsLeft: number;
}

function read(raw: unknown, reading: Reading, depth: number): Found | undefined {
  const schema = reading.references.follow(raw);
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return undefined;
  const known = reading.known.get(schema);
  if (known !== undefined) return known;
  if (!isPlainObject(schema)) return undefined;
  const found: Found = { properties: new Map(), required: new Set(), readOnly: new Set(), alternatives: new Set() };
  for (const branch of list(schema["allOf"])) {
    const part = isRequiredOnly(branch) ? ownPart(branch, reading.references) : read(branch, reading, depth + 1);
    if (part === undefined || !merge(found, part, reading)) return undefined;
  }
  if (!merge(found, ownPart(schema, reading.references), reading)) return undefined;
  reading.known.set(schema, found);
  return found;
}

const NOT_PLAIN = ["patternProperties", "if", "not", "dependentSchemas", "$dynamicRef"];

function isPlainObject(schema: JsonObject): boolean {
  const { type, properties, additionalProperties, allOf } = schema;
  const isObject = type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
  if (!isObject || NOT_PLAIN.some((keyword) => schema[keyword] !== undefined)) return false;
  if (![...list(schema["oneOf"]), ...list(schema["anyOf"])].every(isRequiredOnly)) return false;
  const members = isJsonObject(properties) ? Object.keys(properties).length : 0;
  const isOpen = additionalProperties === true || isJsonObject(additionalProperties);
  if (members === 0 && isOpen) return false;
  return isJsonObject(properties) || list(allOf).length > 0 || additionalProperties === false;
}

function isRequiredOnly(branch: unknown): branch is JsonObject {
  if (!isJsonObject(branch)) return false;
  const allowed = ["required", "type", "title", "description"];
  return Object.keys(branch).every((keyword) => allowed.includes(keyword)) && Array.isArray(branch["required"]);
}

function ownPart(schema: JsonObject, references: References): Found {
  const properties = isJsonObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  return {
    properties: new Map(properties.map(([name, member]) => [name, new Set([member])])),
    required: new Set(requiredOf(schema)),
    readOnly: new Set(properties.filter(([, member]) => isReadOnly(member, references)).map(([name]) => name)),
    alternatives: new Set(
      (["anyOf", "oneOf"] as const).flatMap((keyword) => {
        const branches = list(schema[keyword]).filter(isRequiredOnly);
        return branches.length === 0 ? [] : [{ keyword, branches: branches.map(requiredOf) }];
      }),
    ),
  };
}

function requiredOf({ required }: JsonObject): string[] {
  return list(required).filter((name) => typeof name === "string");
}

/** Merges the members of a subschema. Returns false if the body exceeds `MAX_PARTS`. */
function merge(into: Found, part: Found, reading: Reading): boolean {
  const members = [...part.properties.values()].reduce((sum, { size }) => sum + size, 0);
  reading.partsLeft -= 1 + members + part.required.size + part.alternatives.size;
  if (reading.partsLeft < 0) return false;
  for (const [name, schemas] of part.properties) {
    const before = into.properties.get(name) ?? new Set();
    for (const schema of schemas) before.add(schema);
    into.properties.set(name, before);
  }
  for (const name of part.required) into.required.add(name);
  for (const name of part.readOnly) into.readOnly.add(name);
  for (const one of part.alternatives) into.alternatives.add(one);
  return true;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
