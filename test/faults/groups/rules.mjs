/** @type {import("../rows.d.mts").Group} */
export const rules = {
  letter: "R",
  title: "Rules and patterns",
  rows: [
    {
      name: "evil-rules",
      ids: ["R1"],
      about: "25 regexes that other engines need hours for, over many long names",
      full: { count: 10_000, seconds: 25 },
      quick: { count: 500, seconds: 6 },
      run: (module) => module.evilRules,
    },
    {
      name: "rules-refused",
      ids: ["R2"],
      about: "patterns that do not compile, in rules that forbid",
      tests: [
        { file: "src/rules/compile.test.ts", named: "refuses all rules when one does not compile" },
        { file: "src/rules/compile.test.ts", named: "reports every bad pattern at once" },
        { file: "src/rules/regex.test.ts", named: "refuses" },
        { file: "src/rules/glob.test.ts", named: "refuses" },
        { file: "src/rules/options.test.ts" },
        { file: "src/config/load.test.ts", named: "lists patterns that do not compile beside all other problems" },
      ],
    },
    {
      name: "evil-globs",
      ids: ["R3"],
      about: "globs that other matchers need hours for, over many long names",
      full: { count: 10_000, seconds: 20 },
      quick: { count: 500, seconds: 17 },
      run: (module) => module.evilGlobs,
    },
    {
      name: "same-answers",
      ids: ["R5"],
      about: "flags that make other engines remember, asked again and again",
      tests: [
        { file: "src/rules/regex.test.ts", named: "gives the same answer every time" },
        { file: "src/rules/decide.test.ts", named: "gives the same answer every time" },
      ],
    },
    {
      name: "many-rules",
      ids: ["R7"],
      about: "very many rules over very many tools",
      full: { count: 10_000, seconds: 5 },
      quick: { count: 1000, seconds: 2 },
      run: (module) => module.manyRules,
    },
  ],
  untried: {
    R8: "No surface takes a pattern from a caller: rules, policies and views are compiled from the configuration alone.",
  },
};
