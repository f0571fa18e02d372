import fc from "fast-check";
import type { JsonObject } from "../../src/model/json.js";

const text = fc.oneof(
  fc.constantFrom("open", "closed", "it's", 'say "hi"', "a|b", "x, y", "", "null", "*/", "back\\slash", "{", "é", "1"),
  fc.string({ maxLength: 6 }),
);
const scalar = fc.oneof(
  text,
  fc.integer({ min: -5, max: 5 }),
  fc.constantFrom(0.5, 1e-9, 1e21),
  fc.boolean(),
  fc.constant(null),
);
const count = fc.integer({ min: 0, max: 4 });
const name = fc.constantFrom(
  "a",
  "b",
  "kind",
  "two words",
  "it's",
  "x-y",
  "key",
  "[key]",
  "string",
  "a:b",
  "$ref ",
  "é",
);

const some = <T>(value: fc.Arbitrary<T>) => ({ arbitrary: value });
type Keywords = Record<string, { arbitrary: fc.Arbitrary<unknown> }>;

/** Each keyword is optional. */
function keywords(fixed: JsonObject, optional: Keywords): fc.Arbitrary<JsonObject> {
  const arbitraries = Object.fromEntries(Object.entries(optional).map(([key, { arbitrary }]) => [key, arbitrary]));
  return fc.record(arbitraries, { requiredKeys: [] }).map((chosen) => ({ ...fixed, ...chosen }));
}

const NOTES: Keywords = {
  description: some(text),
  default: some(
    fc.oneof({ weight: 3, arbitrary: scalar }, { weight: 1, arbitrary: fc.constantFrom([], { a: [1, "]"] }) }),
  ),
  deprecated: some(fc.boolean()),
  readOnly: some(fc.boolean()),
  examples: some(fc.array(scalar, { maxLength: 3 })),
  title: some(text),
};

const leaf = fc.oneof(
  keywords(
    { type: "string" },
    {
      ...NOTES,
      format: some(fc.constantFrom("uri", "date-time", "unique", "two words")),
      minLength: some(count),
      maxLength: some(count),
      pattern: some(fc.constantFrom("^a|b$", "^/x/[/]\\/", "\\d+ \\\\", "*", "a'b", "")),
      contentEncoding: some(fc.constant("base64")),
      contentMediaType: some(fc.constant("application/ld+json")),
    },
  ),
  keywords(
    {},
    {
      ...NOTES,
      type: some(fc.constantFrom("integer", "number", ["integer", "null"])),
      minimum: some(fc.constantFrom(-1, 0, 0.5, -Number.MAX_SAFE_INTEGER)),
      maximum: some(fc.constantFrom(0, 5, 1e30)),
      exclusiveMinimum: some(fc.constantFrom(0, -3, true, false)),
      exclusiveMaximum: some(fc.constantFrom(9, false)),
      multipleOf: some(fc.constantFrom(2, 0.01)),
    },
  ),
  keywords(
    {},
    {
      ...NOTES,
      enum: some(fc.uniqueArray(scalar, { maxLength: 4 })),
      type: some(fc.constantFrom("string", "integer")),
    },
  ),
  keywords({}, { ...NOTES, const: some(fc.oneof(scalar, fc.constant({ a: 1 }))) }),
  keywords({ type: "boolean" }, { ...NOTES, nullable: some(fc.boolean()) }),
  fc.constantFrom<unknown>({}, true, false, { type: "null" }, { type: "any" }, { $ref: "#/$defs/lost" }),
  fc.constantFrom("one", "two", "three").map((of) => ({ $ref: `#/$defs/${of}` })),
  keywords({ $ref: "#/$defs/two" }, NOTES),
);

const { schema } = fc.letrec<{ schema: unknown; object: JsonObject }>((tie) => ({
  object: keywords(
    { type: "object" },
    {
      ...NOTES,
      properties: some(fc.dictionary(name, tie("schema"), { maxKeys: 3 })),
      required: some(fc.uniqueArray(name, { maxLength: 2 })),
      additionalProperties: some(fc.oneof(fc.boolean(), tie("schema"))),
      patternProperties: some(fc.dictionary(fc.constantFrom("^x", "/", "\\]$"), tie("schema"), { maxKeys: 1 })),
      propertyNames: some(fc.constantFrom({ type: "string" }, { enum: ["a", "b"] }, { pattern: "^[a-z]+$" })),
      minProperties: some(count),
      maxProperties: some(count),
    },
  ),
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    tie("object"),
    keywords(
      { type: "array" },
      {
        ...NOTES,
        items: some(tie("schema")),
        minItems: some(count),
        maxItems: some(count),
        uniqueItems: some(fc.boolean()),
        contains: some(fc.constant({ const: 1 })),
      },
    ),
    keywords(
      { type: "array" },
      { prefixItems: some(fc.array(tie("schema"), { maxLength: 2 })), items: some(tie("schema")) },
    ),
    keywords(
      {},
      {
        ...NOTES,
        anyOf: some(fc.array(tie("schema"), { maxLength: 3 })),
        type: some(fc.constantFrom("object", "string")),
        properties: some(fc.dictionary(name, tie("schema"), { maxKeys: 2 })),
      },
    ),
    keywords({}, { ...NOTES, oneOf: some(fc.array(tie("schema"), { minLength: 1, maxLength: 3 })) }),
    keywords({}, { allOf: some(fc.array(tie("schema"), { minLength: 1, maxLength: 2 })), not: some(tie("schema")) }),
    keywords(
      {},
      { if: some(tie("schema")), else: some(tie("schema")), dependentRequired: some(fc.constant({ a: ["b"] })) },
    ),
  ),
}));

/** Schemas as hostile and as honest servers write them, each with definitions that may be recursive. */
export const arbitrarySchema = schema;

/** The input schema of a tool. */
export const arbitraryInput: fc.Arbitrary<JsonObject> = fc
  .record({
    properties: fc.dictionary(name, schema, { maxKeys: 4 }),
    required: fc.uniqueArray(name, { maxLength: 2 }),
    rest: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: schema }),
    one: schema,
    two: schema,
    three: schema,
  })
  .map(({ properties, required, rest, ...$defs }) => ({
    type: "object",
    properties,
    required,
    ...(rest === undefined ? {} : { additionalProperties: rest }),
    $defs,
  }));

/** Values that such schemas may accept. */
export const arbitraryValue: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3 }),
  ),
})).value;
