/** @type {import("../rows.d.mts").Group} */
export const configuration = {
  letter: "C",
  title: "Configuration",
  rows: [
    {
      name: "config-files",
      ids: ["C1"],
      about:
        "valid, invalid and very large files (two of 100 MB) as the configuration, at start and while the gateway runs",
      full: { count: 60, seconds: 25 },
      quick: { count: 12, seconds: 8 },
      run: (module) => module.configFiles,
    },
    {
      name: "bad-server",
      ids: ["C2"],
      about: "many servers, one of which is broken in one of five ways",
      full: { count: 100, seconds: 60 },
      quick: { count: 12, seconds: 12 },
      run: (module) => module.badServer,
    },
    {
      name: "late-servers",
      ids: ["C3"],
      about: "servers that are unreachable at start and become reachable later",
      full: { count: 20, seconds: 40 },
      fewer:
        "servers become reachable as soon as all connection attempts have failed, instead of after the planned minute.",
      quick: { count: 4, seconds: 4 },
      run: (module) => module.lateServers,
    },
    {
      name: "argv",
      ids: ["C6"],
      about: "server arguments with shell metacharacters",
      full: { count: 200, seconds: 5 },
      quick: { count: 40, seconds: 3 },
      run: (module) => module.argv,
    },
    {
      name: "name-clashes",
      ids: ["C4"],
      about: "duplicate names of keys, servers and tools",
      full: { count: 40, seconds: 5 },
      quick: { count: 10, seconds: 4 },
      run: (module) => module.nameClashes,
    },
    {
      name: "prototype-keys",
      ids: ["C8"],
      about: "prototype pollution keys (`__proto__` and others) in configurations, tool files and query strings",
      full: { count: 500, seconds: 3 },
      quick: { count: 50, seconds: 2 },
      run: (module) => module.prototypeKeys,
    },
    {
      name: "yaml-surprises",
      ids: ["C9"],
      about: "YAML alias bombs, hidden content and ambiguous values",
      full: { count: 3, seconds: 8 },
      quick: { count: 1, seconds: 4 },
      run: (module) => module.yamlSurprises,
    },
    {
      name: "powerful-variables",
      ids: ["C7"],
      about: "variables such as NODE_OPTIONS that make a program run code, set in project files",
      tests: [
        {
          file: "src/sources/untrusted-folder.test.ts",
          named: "an env file never sets variables that can run code, even if it is trusted",
        },
        { file: "src/config/load-trust.test.ts", named: "loadConfig" },
        { file: "test/e2e/trust.test.ts", named: "a cloned repository" },
      ],
    },
    {
      name: "long-names",
      ids: ["C11"],
      about: "tool names that MCP clients do not accept, each mapped to its own alias",
      tests: [{ file: "src/metatools/full-mode.test.ts", named: "toAlias" }],
    },
    {
      name: "config-mutations",
      ids: ["C12"],
      about: "random mutations of a configuration must not allow calls that it denied before",
      full: { count: 10_000, seconds: 25 },
      quick: { count: 300, seconds: 3 },
      run: (module) => module.configMutations,
    },
  ],
  untried: {},
};
