/** @type {import("../rows.d.mts").Group} */
export const schemas = {
  letter: "V",
  title: "Schemas",
  rows: [
    {
      name: "evil-schemas",
      ids: ["V1", "V2"],
      about: "patterns in schemas that would backtrack for hours, and the stock client beside it",
      full: { count: 10, seconds: 25 },
      quick: { count: 1, seconds: 20 },
      run: (module) => module.evilSchemas,
    },
    {
      name: "schema-bombs",
      ids: ["V5"],
      about: "schemas that explode when they are read or evaluated",
      full: { count: 5, seconds: 20 },
      quick: { count: 1, seconds: 10 },
      run: (module) => module.schemaBombs,
    },
    {
      name: "schema-references",
      ids: ["V3", "V4"],
      about: "schemas that refer to themselves, to nothing and to other places",
      full: { count: 5, seconds: 8 },
      quick: { count: 1, seconds: 5 },
      run: (module) => module.schemaReferences,
    },
    {
      name: "argument-keys",
      ids: ["V8"],
      about: "arguments with keys by which a prototype is reached",
      full: { count: 2000, seconds: 12 },
      quick: { count: 100, seconds: 3 },
      run: (module) => module.argumentKeys,
    },
    {
      name: "schema-roots",
      ids: ["V9"],
      about: "schemas whose root is no plain object, for clients and for random values",
      full: { count: 1000, seconds: 8 },
      quick: { count: 100, seconds: 5 },
      run: (module) => module.schemaRoots,
    },
    {
      name: "one-bad-tool",
      ids: ["V11"],
      about: "fifty tools of which one is broken",
      full: { count: 13, seconds: 8 },
      quick: { count: 3, seconds: 4 },
      run: (module) => module.oneBadTool,
    },
    {
      name: "dialects",
      ids: ["V6"],
      about: "schemas of every dialect, and of none",
      tests: [{ file: "src/executor/check-value.test.ts" }],
    },
  ],
  untried: {
    V10: "No package of npm was found that holds the tests of draft 2020-12, and the fault suite fetches nothing from anywhere else; schema-roots and dialects compare with another validator and with a table.",
  },
};
