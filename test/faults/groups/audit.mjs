/** @type {import("../rows.d.mts").Group} */
export const audit = {
  letter: "A",
  title: "The record",
  rows: [
    {
      name: "audit-tampers",
      ids: ["A4"],
      about: "records that are changed, removed, moved and cut off",
      full: { count: 10_000, seconds: 300 },
      quick: { count: 200, seconds: 10 },
      run: (module) => async (options) => toTamperResult(await module.runTamperTrials(options)),
    },
  ],
  untried: {},
};

function toTamperResult({ trials, detected, missed }) {
  const title = "tampering with the audit";
  return { id: "A4", title, n: trials, injected: trials, violations: missed, figures: { detected } };
}
