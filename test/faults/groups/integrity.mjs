/** @type {import("../rows.d.mts").Group} */
export const integrity = {
  letter: "G",
  title: "Signatures and definitions",
  rows: [
    {
      name: "pin-histories",
      ids: ["G6"],
      about: "servers that change their tool definitions repeatedly",
      full: { count: 10_000, seconds: 120 },
      quick: { count: 200, seconds: 5 },
      run: (module) => async (options) => toPinResult(await module.runPinHistories(options)),
    },
    {
      name: "forged-files",
      ids: ["G1", "G7"],
      about: "tool files without a trusted signature, and servers whose tools differ from their signed files",
      full: { count: 204, seconds: 6 },
      quick: { count: 17, seconds: 2 },
      run: (module) => module.forgedFiles,
    },
    {
      name: "lookalikes",
      ids: ["G5"],
      about: "servers with names that look like the name of another server",
      full: { count: 11, seconds: 8 },
      quick: { count: 2, seconds: 2 },
      run: (module) => module.lookalikes,
    },
    {
      name: "terminal-text",
      ids: ["G8"],
      about:
        "terminal escape sequences and hidden characters in every field of a server, through every command that prints it",
      full: { count: 50, seconds: 45 },
      quick: { count: 3, seconds: 4 },
      run: (module) => module.terminalText,
    },
    {
      name: "signatures",
      ids: ["G1", "G2"],
      about: "tool files changed by one bit, space, comment, anchor, line or signature",
      tests: [{ file: "src/toolfiles/signing/verify.test.ts" }],
    },
    {
      name: "outside-the-signature",
      ids: ["G4"],
      about: "unsigned inputs of a tool file: keys, variables, other addresses, folders of other users",
      tests: [
        { file: "src/toolfiles/format/parse-tool-file.test.ts", named: "rejects" },
        { file: "src/toolfiles/with-files.test.ts" },
        { file: "src/catalog/catalog.test.ts", named: "a server with signed files" },
        { file: "test/e2e/trust.test.ts" },
      ],
    },
    {
      name: "same-names",
      ids: ["G5"],
      about: "servers, tools, prompts and resources with duplicate or reserved names",
      tests: [
        { file: "src/sources/collect.test.ts", named: "servers of the same name" },
        { file: "src/toolfiles/with-files.test.ts" },
        { file: "src/toolfiles/ids/to-tool-ids.test.ts" },
        { file: "src/metatools/full-mode.test.ts" },
        { file: "src/metatools/prompts-and-resources/prompts-and-resources.test.ts" },
        { file: "src/upstreams/listing.test.ts" },
      ],
    },
    {
      name: "changed-definitions",
      ids: ["G6", "G7", "G9"],
      about: "tools that are new, changed or different from their signed file, in a running gateway",
      tests: [
        { file: "test/e2e/pins.test.ts" },
        { file: "test/e2e/tool-files-remote.test.ts" },
        { file: "src/catalog/pinning.test.ts" },
        { file: "src/catalog/catalog.test.ts", named: "a server with signed files" },
        { file: "src/policy/decide.test.ts", named: "denies" },
        { file: "src/policy/options.test.ts", named: "strict" },
      ],
    },
    {
      name: "older-files",
      ids: ["G10", "G12"],
      about: "older file versions, rotated, expired and revoked keys, and wrong clocks",
      tests: [
        { file: "src/toolfiles/read-tool-files.test.ts" },
        { file: "src/toolfiles/keys/open-keys.test.ts" },
        { file: "src/toolfiles/signing/verify.test.ts", named: "a key" },
      ],
    },
  ],
  untried: {
    G11: "The gateway has no prompt-injection detector and claims none: it pins descriptions but does not judge their content.",
  },
};

function toPinResult({ histories, steps, autoApprovals, wrongRefusals, quarantines, approvals, example }) {
  const suffix = example === undefined ? "" : ` (${example})`;
  return {
    id: "G6",
    title: "tools that change after they were first seen",
    n: histories,
    injected: quarantines,
    violations: [
      ...(autoApprovals > 0 ? [`${autoApprovals} changed definitions were used without approval${suffix}`] : []),
      ...(wrongRefusals > 0 ? [`${wrongRefusals} approved definitions were rejected${suffix}`] : []),
      ...(quarantines === 0 || approvals === 0 ? ["no definition was quarantined or approved"] : []),
    ],
    figures: { steps, quarantines, approvals },
  };
}
