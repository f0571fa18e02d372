/** @type {import("../rows.d.mts").Group} */
export const audit = {
  letter: "A",
  title: "Audit log",
  rows: [
    {
      name: "mixed-calls",
      ids: ["A1", "A6"],
      about: "calls with every kind of outcome, through three gateways that write one audit log",
      full: { count: 10_000, seconds: 60 },
      fewer: "10,000 calls instead of the planned 100,000, which would take more than ten minutes on two cores.",
      quick: { count: 400, seconds: 8 },
      run: (module) => module.mixedCalls,
    },
    {
      name: "power-loss",
      ids: ["A2", "A3"],
      about: "store files copied at random moments and truncated as by a power loss, and gateways killed under load",
      full: { count: 400, seconds: 210 },
      quick: { count: 10, seconds: 8 },
      run: (module) => module.powerLoss,
    },
    {
      name: "audit-tampers",
      ids: ["A4"],
      about: "audit records that are edited, deleted, reordered or truncated",
      full: { count: 10_000, seconds: 300 },
      quick: { count: 200, seconds: 10 },
      run: (module) => async (options) => toTamperResult(await module.runTamperTrials(options)),
    },
    {
      name: "lost-records",
      ids: ["A4", "A2"],
      about: "gateways killed before a checkpoint, then lost records and torn checkpoint files",
      full: { count: 100, seconds: 150 },
      quick: { count: 8, seconds: 12 },
      run: (module) => module.lostRecords,
    },
    {
      name: "record-tables",
      ids: ["A2", "A6", "A8", "A13"],
      about: "unit tests of the audit log: concurrent writers, unusual texts, readers",
      tests: [
        { file: "test/contract/store.long.test.ts", named: "audit" },
        { file: "test/contract/store.long.test.ts", named: "several processes" },
        { file: "src/audit/create-audit-log.test.ts" },
        { file: "src/audit/checkpoints.test.ts" },
        { file: "src/store/verify-history.test.ts" },
        { file: "src/surfaces/cli/commands/audit.test.ts" },
        { file: "src/operations/audit/export-audit.test.ts" },
        { file: "src/surfaces/http/exposure.test.ts", named: "every path" },
      ],
    },
    {
      name: "broken-disk",
      ids: ["A7"],
      about: "a disk that fails, is full, is read-only or is slow while the gateway runs",
      full: { count: 5, seconds: 40 },
      quick: { count: 1, seconds: 12 },
      run: (module) => module.brokenDisk,
    },
    {
      name: "hostile-records",
      ids: ["A8"],
      about: "line breaks, escape sequences and long texts in every recorded field",
      full: { count: 500, seconds: 15 },
      quick: { count: 40, seconds: 6 },
      run: (module) => module.hostileRecords,
    },
    {
      name: "params-hash",
      ids: ["A9"],
      about: "a dictionary attack on the hash of guessable arguments",
      full: { count: 1_000_000, seconds: 20 },
      quick: { count: 20_000, seconds: 3 },
      run: (module) => module.paramsHash,
    },
    {
      name: "record-rates",
      ids: ["A10"],
      about: "how long calls wait for their audit records at 1,000 and 5,000 calls per second",
      full: { count: 5, seconds: 20 },
      quick: { count: 1, seconds: 5 },
      run: (module) => module.recordRates,
    },
    {
      name: "rotation",
      ids: ["A11"],
      about: "log rotation and clock changes under load",
      full: { count: 4000, seconds: 30 },
      quick: { count: 1200, seconds: 12 },
      run: (module) => module.rotation,
    },
  ],
  untried: {},
};

function toTamperResult({ trials, detected, missed }) {
  const title = "tampering with the audit log";
  return { id: "A4", title, n: trials, injected: trials, violations: missed, figures: { detected } };
}
