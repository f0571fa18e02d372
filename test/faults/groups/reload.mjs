/** @type {import("../rows.d.mts").Group} */
export const reload = {
  letter: "W",
  title: "Reload",
  rows: [
    {
      name: "reload-in-flight",
      ids: ["W1"],
      about: "servers that are added, removed and changed, or lose a tool, with 200 calls in flight",
      full: { count: 40, seconds: 40 },
      quick: { count: 5, seconds: 8 },
      run: (module) => module.reloadInFlight,
    },
    {
      name: "deny-in-flight",
      ids: ["W5"],
      about: "a tool that a new rule denies while calls to it run and wait",
      full: { count: 40, seconds: 40 },
      quick: { count: 4, seconds: 6 },
      run: (module) => module.denyInFlight,
    },
    {
      name: "many-writes",
      ids: ["W6"],
      about: "a configuration file that is written 100 times per second",
      full: { count: 60, seconds: 66 },
      quick: { count: 5, seconds: 10 },
      run: (module) => module.manyWrites,
    },
    {
      name: "invalid-configurations",
      ids: ["W3"],
      about: "configuration files that are half written, invalid, empty, deleted or not a file",
      full: { count: 200, seconds: 25 },
      quick: { count: 20, seconds: 5 },
      run: (module) => module.invalidConfigurations,
    },
    {
      name: "exact-restarts",
      ids: ["W4"],
      about: "changes of policy, rules, limits, descriptions and variables restart only affected servers",
      full: { count: 100, seconds: 20 },
      quick: { count: 15, seconds: 5 },
      run: (module) => module.exactRestarts,
    },
    {
      name: "pins-across-reloads",
      ids: ["W8"],
      about: "quarantined tools, approvals and failed servers across reloads and renames",
      tests: [
        { file: "src/catalog/pinning.test.ts" },
        { file: "src/catalog/pin-histories.test.ts" },
        { file: "test/e2e/pins.test.ts" },
        { file: "src/upstreams/adopt.test.ts", named: "keeps the failure state of an unchanged server" },
      ],
    },
    {
      name: "bad-signature-at-reload",
      ids: ["W9"],
      about: "a tool file that becomes invalid while the gateway runs",
      tests: [
        { file: "test/e2e/tool-files-remote.test.ts", named: "follows changed files and ignores invalid files" },
        { file: "src/toolfiles/read-tool-files.test.ts" },
      ],
    },
  ],
  untried: {},
};
