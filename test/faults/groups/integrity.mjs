/** @type {import("../rows.d.mts").Group} */
export const integrity = {
  letter: "G",
  title: "Signatures and definitions",
  rows: [
    {
      name: "pin-histories",
      ids: ["G6"],
      about: "servers that change their tools, over and over",
      full: { count: 10_000, seconds: 120 },
      quick: { count: 200, seconds: 5 },
      run: (module) => async (options) => toPinResult(await module.runPinHistories(options)),
    },
    {
      name: "forged-files",
      ids: ["G1", "G7"],
      about: "tool files that nobody vouches for, and servers that say something else than theirs",
      full: { count: 204, seconds: 6 },
      quick: { count: 17, seconds: 2 },
      run: (module) => module.forgedFiles,
    },
    {
      name: "lookalikes",
      ids: ["G5"],
      about: "servers whose names look like another's",
      full: { count: 11, seconds: 8 },
      quick: { count: 2, seconds: 2 },
      run: (module) => module.lookalikes,
    },
    {
      name: "terminal-text",
      ids: ["G8"],
      about: "hostile text in every field of a server, through every command that prints it",
      full: { count: 50, seconds: 45 },
      quick: { count: 3, seconds: 4 },
      run: (module) => module.terminalText,
    },
    {
      name: "signatures",
      ids: ["G1", "G2"],
      about: "files that are changed by a bit, a space, a comment, an anchor, a line or a signature",
      tests: [{ file: "src/toolfiles/signing/verify.test.ts" }],
    },
    {
      name: "outside-the-signature",
      ids: ["G4"],
      about: "what shapes a run and was not signed: keys, variables, other addresses, folders of others",
      tests: [
        { file: "src/toolfiles/format/parse-tool-file.test.ts", named: "refuses" },
        { file: "src/toolfiles/with-files.test.ts" },
        { file: "src/catalog/catalog.test.ts", named: "a server that signed files speak of" },
        { file: "test/e2e/trust.test.ts" },
      ],
    },
    {
      name: "same-names",
      ids: ["G5"],
      about: "servers, tools, prompts and resources of the same or a reserved name",
      tests: [
        { file: "src/sources/collect.test.ts", named: "servers of the same name" },
        { file: "src/toolfiles/with-files.test.ts" },
        { file: "src/toolfiles/ids/to-tool-ids.test.ts" },
        { file: "src/metatools/full-mode.test.ts" },
        { file: "src/metatools/offerings/offerings.test.ts" },
        { file: "src/upstreams/listing.test.ts" },
      ],
    },
    {
      name: "changed-definitions",
      ids: ["G6", "G7", "G9"],
      about: "tools that are new, changed, or other than their signed files, in the running gateway",
      tests: [
        { file: "test/e2e/pins.test.ts" },
        { file: "test/e2e/tool-files-remote.test.ts" },
        { file: "src/catalog/pinning.test.ts" },
        { file: "src/catalog/catalog.test.ts", named: "a server that signed files speak of" },
        { file: "src/policy/decide.test.ts", named: "refuses" },
        { file: "src/policy/options.test.ts", named: "strict" },
      ],
    },
    {
      name: "older-files",
      ids: ["G10", "G12"],
      about: "older versions, keys that change, end or are revoked, clocks that are off",
      tests: [
        { file: "src/toolfiles/read-tool-files.test.ts" },
        { file: "src/toolfiles/keys/open-keys.test.ts" },
        { file: "src/toolfiles/signing/verify.test.ts", named: "a key" },
      ],
    },
  ],
  untried: {
    G11: "there is no detector: the gateway does not judge what descriptions say and claims nothing about it; it pins them",
  },
};

function toPinResult({ histories, steps, autoApprovals, wrongRefusals, quarantines, approvals, example }) {
  const said = example === undefined ? "" : ` (${example})`;
  return {
    id: "G6",
    title: "tools that change after they were seen",
    n: histories,
    injected: quarantines,
    violations: [
      ...(autoApprovals > 0 ? [`${autoApprovals} definitions came into force by themselves${said}`] : []),
      ...(wrongRefusals > 0 ? [`${wrongRefusals} approved definitions were kept back${said}`] : []),
      ...(quarantines === 0 || approvals === 0 ? ["nothing was tried"] : []),
    ],
    figures: { steps, quarantines, approvals },
  };
}
