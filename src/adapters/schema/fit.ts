import { isJsonObject, type JsonObject } from "../../model/json.js";
import { cutAtWord } from "../../util/text.js";
import { unsupportedOperation } from "../refuse.js";
import { type Closure, toDefs } from "./self-contained.js";

/**
 * The maximum size of a tool's input schema, in characters of JSON. It is slightly below the limit of the schema
 * validator.
 */
const MAX_BYTES = 250_000;
const MAX_PARTS = 45_000;

export interface Arguments {
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required: readonly string[];
  /** Additional constraints on the arguments: `anyOf` or `oneOf` with `required` lists. */
  readonly alternatives: readonly JsonObject[];
}

const COMMENT = "Shortened to fit: see the API's documentation for nested members.";

/**
 * The input schema of a tool. If the complete schema is too large, it is shortened step by step until it fits:
 * descriptions of nested members are removed first, then the most distant definitions, then everything below the
 * arguments. A shortened schema has a `$comment` that says so.
 */
export function toInputSchema(given: Arguments, closure: Closure): JsonObject {
  for (const shorten of shortenings(closure)) {
    const schema = shorten(given);
    if (!hasFewParts(schema)) continue;
    const text = JSON.stringify(schema);
    // Each tool gets its own copy: definitions are shared between tools, and validators modify the schemas that they
    // compile.
    if (text.length <= MAX_BYTES) return JSON.parse(text) as JsonObject;
  }
  throw unsupportedOperation("has more parameters than fit into a schema of 256 KiB");
}

function* shortenings({ levels, bytes }: Closure): Iterable<(given: Arguments) => JsonObject> {
  if (bytes <= MAX_BYTES) yield (given) => assemble(given, toDefs(levels, levels.length));
  // Removing descriptions shrinks a schema to a tenth at best. If even that would be too large, start with the first
  // two levels.
  const deepest = bytes <= 10 * MAX_BYTES ? levels.length : 2;
  const depths = [deepest, 7, 6, 5, 4, 3, 2, 1, 0].filter((depth, index) => index === 0 || depth < deepest);
  for (const depth of depths) {
    yield (given) =>
      marked(
        assemble(
          mapProperties(given, withoutNestedTexts),
          mapValues(toDefs(levels, depth), (schema) => withoutTexts(schema)),
        ),
      );
  }
  yield (given) => marked(assemble(mapProperties(given, toShallow), {}));
}

function assemble({ properties, required, alternatives }: Arguments, $defs: JsonObject): JsonObject {
  const [only, ...more] = alternatives;
  return {
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...(more.length === 0 ? only : { allOf: alternatives }),
    ...(Object.keys($defs).length === 0 ? {} : { $defs }),
  };
}

function marked(schema: JsonObject): JsonObject {
  return { $comment: COMMENT, ...schema };
}

function hasFewParts(schema: JsonObject): boolean {
  const open: unknown[] = [schema];
  for (let parts = 0; open.length > 0; parts += 1) {
    if (parts > MAX_PARTS) return false;
    const next = open.pop();
    if (typeof next === "object" && next !== null) for (const member of Object.values(next)) open.push(member);
  }
  return true;
}

function mapProperties(given: Arguments, convert: (schema: JsonObject) => JsonObject): Arguments {
  return { ...given, properties: mapValues(given.properties, convert) };
}

function mapValues<Value>(map: Readonly<Record<string, Value>>, convert: (schema: JsonObject) => JsonObject) {
  return Object.fromEntries(
    Object.entries(map).map(([name, schema]) => [name, convert(isJsonObject(schema) ? schema : {})]),
  );
}

function withoutNestedTexts({ description, ...schema }: JsonObject): JsonObject {
  return { ...withoutTexts(schema), ...shortDescription(description) };
}

function shortDescription(description: unknown): JsonObject {
  return typeof description === "string" ? { description: cutAtWord(description, 300) } : {};
}

/**
 * Removes the keyword `description` at all levels. `areNames`: the keys are member names (as below `properties`), not
 * keywords.
 */
function withoutTexts(schema: JsonObject, areNames = false): JsonObject {
  const kept = Object.entries(schema).filter(([key]) => areNames || key !== "description");
  return Object.fromEntries(
    kept.map(([key, value]) => {
      const holdsNames = !areNames && (key === "properties" || key === "patternProperties");
      if (isJsonObject(value)) return [key, isValue(key, areNames) ? value : withoutTexts(value, holdsNames)];
      if (!Array.isArray(value) || isValue(key, areNames)) return [key, value];
      return [key, value.map((item: unknown) => (isJsonObject(item) ? withoutTexts(item) : item))];
    }),
  );
}

function isValue(key: string, areNames: boolean): boolean {
  return !areNames && (key === "default" || key === "const" || key === "enum");
}

function toShallow({ type, description }: JsonObject): JsonObject {
  return { ...(type === undefined ? {} : { type }), ...shortDescription(description) };
}
