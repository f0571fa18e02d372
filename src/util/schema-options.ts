import { isJsonObject, type JsonObject } from "../model/json.js";
import { followReference } from "./schema-reference.js";
import { typeOfValue } from "./schema-types.js";
import { BOUNDS } from "./type-bounds.js";

const MAX_COMPARED = 50;
const EXACT = new Set([
  "type",
  "enum",
  "const",
  "title",
  "description",
  ...(BOUNDS["string"] ?? []),
  ...(BOUNDS["number"] ?? []),
]);
const MEMBERS = new Set(["type", "properties", "required", "title", "description"]);

/** Whether no value can match two of the schemas, so that `oneOf` means the same as `anyOf`. */
export function areDisjoint(schemas: readonly unknown[], root: unknown): boolean {
  if (schemas.length > MAX_COMPARED) return false;
  const shapes = schemas.map((schema) => resolve(schema, root));
  return shapes.every((one, index) => shapes.slice(index + 1).every((other) => isDisjoint(one, other)));
}

function resolve(schema: unknown, root: unknown): JsonObject {
  const isReference = isJsonObject(schema) && typeof schema["$ref"] === "string" && Object.keys(schema).length <= 2;
  const target = isReference ? followReference(String(schema["$ref"]), root) : schema;
  return isJsonObject(target) ? target : {};
}

function isDisjoint(one: JsonObject, other: JsonObject): boolean {
  const [values, others] = [valuesOf(one), valuesOf(other)];
  if (values !== undefined && others !== undefined) return values.every((value) => !others.includes(value));
  const [types, otherTypes] = [plainTypesOf(one, values), plainTypesOf(other, others)];
  if (types === undefined || otherTypes === undefined) return false;
  if (types.every((type) => !otherTypes.includes(type))) return true;
  return isOnlyObject(types) && isOnlyObject(otherTypes) && isDiscriminated(one, other);
}

/** The allowed values of a schema as JSON, for comparison; undefined if it has neither `const` nor `enum`. */
function valuesOf(schema: JsonObject): string[] | undefined {
  if ("const" in schema) return [JSON.stringify(schema["const"])];
  return Array.isArray(schema["enum"]) ? schema["enum"].map((value) => JSON.stringify(value)) : undefined;
}

function plainTypesOf(schema: JsonObject, values: readonly string[] | undefined): string[] | undefined {
  const types = values?.map((value) => typeOfValue(JSON.parse(value))) ?? namedTypes(schema["type"]);
  return types?.map((type) => (type === "integer" ? "number" : type));
}

function namedTypes(type: unknown): string[] | undefined {
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type.filter((one) => typeof one === "string") : undefined;
}

function isOnlyObject(types: readonly string[]): boolean {
  return types.length === 1 && types[0] === "object";
}

/** Whether both schemas require a property whose allowed values are disjoint. */
function isDiscriminated(one: JsonObject, other: JsonObject): boolean {
  const [mine, theirs] = [one["properties"], other["properties"]];
  if (!isJsonObject(mine) || !isJsonObject(theirs)) return false;
  return Object.keys(mine).some((name) => {
    if (!isRequired(one, name) || !isRequired(other, name)) return false;
    const [values, others] = [mine[name], theirs[name]].map((member) => isJsonObject(member) && valuesOf(member));
    return Array.isArray(values) && Array.isArray(others) && values.every((value) => !others.includes(value));
  });
}

/**
 * Whether `oneOf` over the type expressions accepts the same values as `oneOf` over the schemas. The two can differ,
 * because a type expression can be narrower than its schema: for objects, and for schemas without a type.
 */
export function areClear(schemas: readonly unknown[]): boolean {
  if (schemas.length > MAX_COMPARED || new Set(schemas.map((schema) => JSON.stringify(schema))).size < schemas.length) {
    return false;
  }
  const isRival = (one: unknown, other: unknown) => one !== other && !(isExact(one) || requiresMore(one, other));
  return schemas.every((one) => schemas.every((other) => !isRival(one, other)));
}

const SCALARS = ["string", "number", "integer", "boolean", "null"];

/** Whether a type expression represents the schema exactly: the schema has a list of values or a scalar type. */
export function isExact(schema: unknown): boolean {
  if (!isJsonObject(schema)) return false;
  const types = namedTypes(schema["type"]);
  const isRepresentable = valuesOf(schema) !== undefined || types?.every((type) => SCALARS.includes(type)) === true;
  return isRepresentable && Object.keys(schema).every((key) => EXACT.has(key));
}

/** Whether the first object schema requires a member that the second one does not have. */
function requiresMore(one: unknown, other: unknown): boolean {
  if (!isJsonObject(one) || !isJsonObject(other) || !Array.isArray(one["required"])) return false;
  const isPlain = [one, other].every((schema) => Object.keys(schema).every((key) => MEMBERS.has(key)));
  const known = new Set([...Object.keys(other["properties"] ?? {}), ...[other["required"] ?? []].flat()]);
  return isPlain && one["required"].some((name) => !known.has(name));
}

function isRequired(schema: JsonObject, name: string): boolean {
  return Array.isArray(schema["required"]) && schema["required"].includes(name);
}
