import { describe, expect, it } from "vitest";
import { runTamperTrials } from "../../../test/faults/rows/audit/audit-tampers.js";
import { outcome, setUpAuditLogs, signed } from "../../../test/support/audit-logs.js";
import type { Checkpoint } from "../../audit/chain.js";
import { verifyAudit } from "./verify-audit.js";

const { open } = setUpAuditLogs();
const IS_FULL = process.env["FAULTS"] === "full";

describe("the verification of the audit log", () => {
  it("detects every tampering, names the record, and reports nothing for an intact log", {
    timeout: 1_200_000,
  }, async () => {
    const { trials, detected, missed } = await runTamperTrials({ count: IS_FULL ? 10_000 : 200, seed: 5 });
    expect(missed).toEqual([]);
    expect(detected).toBe(trials);
  });

  it("reports nothing if the gateway was killed before it published its first checkpoint", async () => {
    const one = open();
    const { audit } = one.store;
    const chain = {
      ...audit,
      async addCheckpoint(checkpoint: Checkpoint) {
        await audit.addCheckpoint(checkpoint);
        throw new Error("killed");
      },
    };
    const killed = open({ chain });
    await killed.log.record(outcome());
    await killed.log.close();
    expect(await signed(one)).toEqual([1]);
    expect(await verifyAudit(audit, one.files, 0)).toMatchObject({ findings: [], signedThrough: 1 });
  });
});
