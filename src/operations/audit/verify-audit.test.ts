import { describe, expect, it } from "vitest";
import { runTamperTrials } from "../../../test/faults/rows/audit/audit-tampers.js";

const IS_FULL = process.env["FAULTS"] === "full";

describe("the verification of the audit log", () => {
  it("detects every tampering, names the record, and reports nothing for an intact log", {
    timeout: 1_200_000,
  }, async () => {
    const { trials, detected, missed } = await runTamperTrials({ count: IS_FULL ? 10_000 : 200, seed: 5 });
    expect(missed).toEqual([]);
    expect(detected).toBe(trials);
  });
});
