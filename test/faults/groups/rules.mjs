/** @type {import("../rows.d.mts").Group} */
export const rules = {
  letter: "R",
  title: "Rules and patterns",
  rows: [
    {
      name: "evil-rules",
      ids: ["R1"],
      about: "25 regular expressions with catastrophic backtracking in other engines, on many long names",
      full: { count: 10_000, seconds: 25 },
      quick: { count: 500, seconds: 6 },
      run: (module) => module.evilRules,
    },
    {
      name: "rules-refused",
      ids: ["R2"],
      about: "patterns that do not compile, in rules that disable tools",
      tests: [
        { file: "src/rules/compile.test.ts", named: "rejects all rules if one does not compile" },
        { file: "src/rules/compile.test.ts", named: "reports every invalid pattern at once" },
        { file: "src/rules/regex.test.ts", named: "rejects" },
        { file: "src/rules/glob.test.ts", named: "rejects" },
        { file: "src/rules/glob.test.ts", named: "rejects" },
        { file: "src/rules/options.test.ts" },
        {
          file: "src/config/load.test.ts",
          named: "lists patterns that do not compile together with all other problems",
        },
      ],
    },
    {
      name: "evil-globs",
      ids: ["R3"],
      about: "globs with exponential time in other matchers, on many long names",
      full: { count: 10_000, seconds: 20 },
      quick: { count: 500, seconds: 17 },
      run: (module) => module.evilGlobs,
    },
    {
      name: "same-answers",
      ids: ["R5"],
      about: "regular expression flags (g, y) that make matching stateful in other engines, evaluated repeatedly",
      tests: [
        { file: "src/rules/regex.test.ts", named: "gives the same answer every time" },
        { file: "src/rules/decide.test.ts", named: "gives the same answer every time" },
      ],
    },
    {
      name: "many-rules",
      ids: ["R7"],
      about: "10,000 rules on 10,000 tools",
      full: { count: 10_000, seconds: 5 },
      quick: { count: 1000, seconds: 2 },
      run: (module) => module.manyRules,
    },
  ],
  untried: {
    R8: "No surface accepts a pattern from a caller: rules, policies and views are compiled from the configuration alone.",
  },
};
