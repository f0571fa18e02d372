// The rows of the fault suite: what each does, how often with `--quick` and in full, and about how long that takes.

/** `count` is what the row's own file says it is. Seconds are those of two cores. */
export const ROWS = [
  {
    name: "crash-matrix",
    about: "gateways killed at each point of a call, and the call repeated (I6)",
    full: { count: 50, seconds: 480 },
    quick: { count: 2, seconds: 20 },
    run: (module) => module.crashMatrix,
  },
  {
    name: "shared-store-load",
    about: "10,000 calls of four gateways on one store while servers crash (I7)",
    full: { count: 10_000, seconds: 270 },
    quick: { count: 600, seconds: 25 },
    run: (module) => module.sharedStoreLoad,
  },
  {
    name: "gateway-kills",
    about: "gateways killed under load, clients that repeat (I8, A2)",
    full: { count: 20, seconds: 60 },
    quick: { count: 3, seconds: 15 },
    run: (module) => module.gatewayKills,
  },
  {
    name: "same-key",
    about: "100 parallel calls with one key (I3)",
    full: { count: 1000, seconds: 60 },
    quick: { count: 10, seconds: 10 },
    run: (module) => module.sameKey,
  },
  {
    name: "idempotency-cases",
    about: "what keys promise, case by case (I1, I2, I5, I14, I15, I16, I18)",
    full: { count: 6, seconds: 60 },
    quick: { count: 2, seconds: 30 },
    run: (module) => module.idempotencyCases,
  },
  {
    name: "paused-gateway",
    about: "gateways that stand still in the middle of a call (I13)",
    full: { count: 40, seconds: 30 },
    quick: { count: 4, seconds: 6 },
    run: (module) => module.pausedGateway,
  },
  {
    name: "rate-bucket",
    about: "a bucket of 100 that four gateways take from at once (O9)",
    full: { count: 1000, seconds: 10 },
    quick: { count: 200, seconds: 8 },
    run: (module) => module.rateBucket,
  },
  {
    name: "self-approval",
    about: "callers that confirm their own calls (O7)",
    full: { count: 500, seconds: 15 },
    quick: { count: 300, seconds: 10 },
    run: (module) => module.selfApproval,
  },
  {
    name: "same-ids",
    about: "200 clients of both eras that all use the id 1 over HTTP (P5)",
    full: { count: 100_000, seconds: 300 },
    quick: { count: 2000, seconds: 20 },
    run: (module) => module.sameIds,
  },
  {
    name: "pin-histories",
    about: "servers that change their tools, over and over (G6)",
    full: { count: 10_000, seconds: 120 },
    quick: { count: 200, seconds: 5 },
    run: (module) => async (options) => toPinResult(await module.runPinHistories(options)),
  },
  {
    name: "audit-tampers",
    about: "records that are changed, removed, moved and cut off (A4)",
    full: { count: 10_000, seconds: 300 },
    quick: { count: 200, seconds: 10 },
    run: (module) => async (options) => toTamperResult(await module.runTamperTrials(options)),
  },
  {
    name: "canaries",
    about: "secrets in every place, and a look at every byte that is written (S1)",
    full: { count: 60, seconds: 180 },
    quick: { count: 6, seconds: 20 },
    run: (module) => module.canaries,
  },
];

function toTamperResult({ trials, detected, missed }) {
  const title = "tampering with the audit";
  return { id: "A4", title, n: trials, injected: trials, violations: missed, figures: { detected } };
}

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
