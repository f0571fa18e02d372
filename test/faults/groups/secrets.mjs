/** @type {import("../rows.d.mts").Group} */
export const secrets = {
  letter: "S",
  title: "Secrets",
  rows: [
    {
      name: "canaries",
      ids: ["S1"],
      about: "secrets in every setting that can contain one; every byte that the gateway writes is searched for them",
      full: { count: 60, seconds: 180 },
      quick: { count: 6, seconds: 20 },
      run: (module) => module.canaries,
    },
    {
      name: "child-variables",
      ids: ["S2"],
      about: "50 variables of the gateway that no server process may receive",
      full: { count: 50, seconds: 3 },
      quick: { count: 50, seconds: 3 },
      run: (module) => module.childVariables,
    },
    {
      name: "argv-secrets",
      ids: ["S4"],
      about: "variables in server arguments, under the strict preset",
      full: { count: 8, seconds: 3 },
      quick: { count: 8, seconds: 3 },
      run: (module) => module.argvSecrets,
    },
    {
      name: "templates-kept",
      ids: ["S5"],
      about: "commands that read, change and export a configuration with variables",
      full: { count: 17, seconds: 15 },
      quick: { count: 4, seconds: 5 },
      run: (module) => module.templatesKept,
    },
    {
      name: "dotenv-texts",
      ids: ["S6"],
      about: ".env files with every kind of syntax",
      tests: [
        { file: "src/util/dotenv.test.ts" },
        { file: "src/config/variables.test.ts", named: "the chain of .env files" },
      ],
    },
    {
      name: "rotated-secret",
      ids: ["S7"],
      about: "a secret that changes in its file while calls run",
      full: { count: 3, seconds: 25 },
      quick: { count: 1, seconds: 10 },
      run: (module) => module.rotatedSecret,
    },
    {
      name: "open-files",
      ids: ["S10"],
      about: "secret files that other users can read, that are symbolic links, or that other users own",
      tests: [
        { file: "src/config/variables.test.ts", named: "own file" },
        { file: "src/config/variables.test.ts", named: "checks the target of a link" },
        { file: "src/toolfiles/keys/open-keys.test.ts", named: "that others can" },
        { file: "src/util/local-key.test.ts", named: "removes read permission of other users" },
        {
          file: "src/surfaces/http/token.test.ts",
          named: "restricts the permissions of a file that others could read",
        },
      ],
    },
  ],
  untried: {
    S9: "The gateway has no mode that blocks secrets in results: results of servers pass unchanged, and only known secrets are replaced in the gateway's own messages.",
  },
};
