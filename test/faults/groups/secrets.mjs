/** @type {import("../rows.d.mts").Group} */
export const secrets = {
  letter: "S",
  title: "Secrets",
  rows: [
    {
      name: "canaries",
      ids: ["S1"],
      about: "secrets in every place, and a look at every byte that is written",
      full: { count: 60, seconds: 180 },
      quick: { count: 6, seconds: 20 },
      run: (module) => module.canaries,
    },
    {
      name: "child-variables",
      ids: ["S2"],
      about: "fifty variables of the gateway that are no server's business",
      full: { count: 50, seconds: 3 },
      quick: { count: 50, seconds: 3 },
      run: (module) => module.childVariables,
    },
    {
      name: "argv-secrets",
      ids: ["S4"],
      about: "variables in the arguments of servers, under a strict policy",
      full: { count: 8, seconds: 3 },
      quick: { count: 8, seconds: 3 },
      run: (module) => module.argvSecrets,
    },
    {
      name: "templates-kept",
      ids: ["S5"],
      about: "commands that read, change and export a configuration with variables in it",
      full: { count: 17, seconds: 15 },
      quick: { count: 4, seconds: 5 },
      run: (module) => module.templatesKept,
    },
    {
      name: "dotenv-texts",
      ids: ["S6"],
      about: ".env files of every kind",
      tests: [
        { file: "src/config/dotenv.test.ts" },
        { file: "src/config/variables.test.ts", named: "the chain of .env files" },
      ],
    },
    {
      name: "rotated-secret",
      ids: ["S7"],
      about: "a secret that changes in its file while calls go on",
      full: { count: 3, seconds: 25 },
      quick: { count: 1, seconds: 10 },
      run: (module) => module.rotatedSecret,
    },
    {
      name: "open-files",
      ids: ["S10"],
      about: "files with secrets that others can read, that are links, or belong to others",
      tests: [
        { file: "src/config/variables.test.ts", named: "tells of the person's own file" },
        { file: "src/config/variables.test.ts", named: "looks at the file that a link leads to" },
        { file: "src/toolfiles/keys/open-keys.test.ts", named: "that others can" },
        { file: "src/util/local-key.test.ts", named: "is closed to others when they could read it" },
        { file: "src/surfaces/http/token.test.ts", named: "closes a file that others could read" },
      ],
    },
  ],
  untried: {
    S9: "There is no block mode: results of servers pass unchanged, and only values that the gateway itself knows are hidden in what it says.",
  },
};
