// Answers questions about a JSON Schema, through $ref, allOf, anyOf and oneOf. Each subschema is visited once, so that
// a recursive schema takes linear time.
import { isJsonObject, type JsonObject } from "../../model/json.js";
import { followReference } from "../../util/schema-reference.js";

/** The schemas that apply to one value. */
export type Schemas = readonly unknown[];

export interface SchemaFacts {
  /** The schemas of each member that `properties` names. */
  properties(schemas: Schemas): ReadonlyMap<string, Schemas>;
  /** The schemas of members that `properties` does not name. Undefined if the schema allows no other members. */
  otherProperties(schemas: Schemas): Schemas | undefined;
  types(schemas: Schemas): ReadonlySet<string>;
  /** The schemas of an array's items. */
  items(schemas: Schemas): Schemas;
}

export function createSchemaFacts(root: JsonObject): SchemaFacts {
  const partsOf = (schemas: Schemas): JsonObject[] => {
    const found = new Set<JsonObject>();
    const open = [...schemas];
    while (open.length > 0) {
      const schema = open.shift();
      if (!isJsonObject(schema) || found.has(schema)) continue;
      found.add(schema);
      const reference = schema["$ref"];
      if (typeof reference === "string") open.push(followReference(reference, root));
      open.push(...["allOf", "anyOf", "oneOf"].flatMap((keyword) => schema[keyword]));
    }
    return [...found];
  };

  const properties = (schemas: Schemas): ReadonlyMap<string, Schemas> => {
    const found = new Map<string, unknown[]>();
    for (const { properties: members } of partsOf(schemas)) {
      if (!isJsonObject(members)) continue;
      for (const [name, member] of Object.entries(members)) found.set(name, [...(found.get(name) ?? []), member]);
    }
    return found;
  };

  return {
    properties,
    otherProperties(schemas) {
      const parts = partsOf(schemas);
      const others = parts.map((part) => part["additionalProperties"]).filter(isJsonObject);
      const isOpen =
        others.length > 0 ||
        parts.some((part) => part["additionalProperties"] === true || isJsonObject(part["patternProperties"]));
      return isOpen || properties(schemas).size === 0 ? others : undefined;
    },
    types: (schemas) => new Set(partsOf(schemas).flatMap(typesOf)),
    items: (schemas) => partsOf(schemas).flatMap(({ items }) => (isJsonObject(items) ? [items] : [])),
  };
}

function typesOf({ type, enum: values, const: only }: JsonObject): string[] {
  const named = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string");
  if (named.length > 0) return named;
  const examples = Array.isArray(values) ? values : only === undefined ? [] : [only];
  return examples.map(typeOf);
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
