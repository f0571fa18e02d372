/** @type {import("../rows.d.mts").Group} */
export const schemas = {
  letter: "V",
  title: "Schemas",
  rows: [
    {
      name: "evil-schemas",
      ids: ["V1", "V2"],
      about: "schema patterns with catastrophic backtracking, compared with the official SDK client",
      full: { count: 10, seconds: 25 },
      quick: { count: 1, seconds: 20 },
      run: (module) => module.evilSchemas,
    },
    {
      name: "schema-bombs",
      ids: ["V5"],
      about: "schemas that grow exponentially when they are parsed or evaluated",
      full: { count: 5, seconds: 20 },
      quick: { count: 1, seconds: 10 },
      run: (module) => module.schemaBombs,
    },
    {
      name: "schema-references",
      ids: ["V3", "V4"],
      about: "schemas with circular, missing and external references",
      full: { count: 5, seconds: 8 },
      quick: { count: 1, seconds: 5 },
      run: (module) => module.schemaReferences,
    },
    {
      name: "argument-keys",
      ids: ["V8"],
      about: "arguments with prototype pollution keys (`__proto__` and others)",
      full: { count: 2000, seconds: 12 },
      quick: { count: 100, seconds: 3 },
      run: (module) => module.argumentKeys,
    },
    {
      name: "schema-roots",
      ids: ["V9"],
      about: "schemas whose root is not a plain object, read by clients and checked with random values",
      full: { count: 1000, seconds: 8 },
      quick: { count: 100, seconds: 5 },
      run: (module) => module.schemaRoots,
    },
    {
      name: "one-bad-tool",
      ids: ["V11"],
      about: "50 tools, one of which is broken",
      full: { count: 13, seconds: 8 },
      quick: { count: 3, seconds: 4 },
      run: (module) => module.oneBadTool,
    },
    {
      name: "dialects",
      ids: ["V6"],
      about: "schemas of every JSON Schema dialect, and without one",
      tests: [{ file: "src/executor/check-value.test.ts" }],
    },
  ],
  untried: {
    V10: "No npm package with the official tests of draft 2020-12 was found, and the fault suite downloads nothing from other places. The rows schema-roots and dialects compare with another validator and with a table.",
  },
};
