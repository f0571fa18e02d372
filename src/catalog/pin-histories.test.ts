import { expect, it } from "vitest";
import { runPinHistories } from "../../test/faults/rows/integrity/pin-histories.js";

it("approves no changed tool automatically and quarantines no approved tool, in two hundred random histories", async () => {
  const { quarantines, approvals, ...rest } = await runPinHistories({ count: 200, seed: 7 });
  expect(rest).toEqual({ histories: 200, steps: 3200, autoApprovals: 0, wrongRefusals: 0 });
  expect(quarantines).toBeGreaterThan(500);
  expect(approvals).toBeGreaterThan(50);
});
