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
  ],
  untried: {},
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
