import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import {
  bodies,
  checkpointOf,
  NOW,
  type Opened,
  outcome,
  setUpAuditLogs,
  signed,
} from "../../test/support/audit-logs.js";
import { verifyAudit } from "../operations/audit/verify-audit.js";
import { createLocalKey } from "../util/local-key.js";
import type { Checkpoint } from "./chain.js";
import { MAX_UNSIGNED_RECORDS } from "./checkpoints.js";
import { createSigner } from "./signer.js";

const { folder, open, tamper } = setUpAuditLogs();

describe("createCheckpoints", () => {
  it("signs one checkpoint ten seconds after a record, for all records until then", async () => {
    const one = open();
    await Promise.all([one.log.record(outcome()), one.log.record(outcome())]);
    expect(one.timers.map(({ delayMs }) => delayMs)).toEqual([10_000]);
    expect(await signed(one)).toEqual([]);
    one.timers[0]!.run();
    await one.log.close();
    expect(await signed(one)).toEqual([2]);
    expect(await checkpointOf(one)).toMatchObject({ seq: 2, at: NOW });
    expect(one.timers).toEqual([]);
    for (const name of [one.files.checkpointFile, one.files.signingKeyFile]) {
      expect((await stat(name)).mode & 0o777).toBe(0o600);
    }
  });

  it("signs at every thousandth record", async () => {
    const one = open();
    await Promise.all(Array.from({ length: MAX_UNSIGNED_RECORDS }, () => one.log.record(outcome())));
    expect(one.timers).toEqual([]);
    await one.log.close();
    expect(await signed(one)).toEqual([MAX_UNSIGNED_RECORDS]);
  });

  it("signs at every thousandth record of the chain, counting records of other processes", async () => {
    const two = [open(), open()];
    for (const { log } of two) await log.record(outcome());
    await Promise.all(Array.from({ length: MAX_UNSIGNED_RECORDS - 1 }, (_, n) => two[n % 2]!.log.record(outcome())));
    expect(two.map(({ timers }) => timers.length)).toEqual([1, 0]);
    await two[1]!.log.close();
    expect(await signed(two[0]!)).toEqual([MAX_UNSIGNED_RECORDS + 1]);
  });

  it("signs on close, and signs no record twice", async () => {
    const one = open();
    await one.log.record(outcome());
    await one.log.close();
    await one.log.close();
    await open().log.recover();
    expect(await signed(one)).toEqual([1]);
  });

  it("writes no file without a record", async () => {
    const { log } = open();
    expect(await log.recover()).toBe(0);
    await log.close();
    expect(await readdir(folder())).toEqual([]);
  });

  it("keeps the newest checkpoint in the file when several processes sign at the same time", async () => {
    const all = Array.from({ length: 6 }, () => open());
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(all.map(({ log }) => log.record(outcome())));
      await Promise.all(all.map(({ log }) => log.recover()));
    }
    const [one] = all as [Opened];
    expect((await checkpointOf(one)).seq).toBe((await signed(one)).at(-1));
    expect((await checkpointOf(one)).seq).toBe(30);
  });

  it("publishes a newer checkpoint that another process signed but did not publish", async () => {
    const one = open();
    const { audit } = one.store;
    const chain = {
      ...audit,
      async addCheckpoint(checkpoint: Checkpoint) {
        await audit.addCheckpoint(checkpoint);
        const [mark] = await audit.append([{ ...outcome() }]);
        const key = await createLocalKey(one.files.signingKeyFile)();
        await audit.addCheckpoint(createSigner(key).sign(mark!, NOW));
      },
    };
    const other = open({ chain });
    await other.log.record(outcome());
    await other.log.close();
    expect(await signed(one)).toEqual([1, 2]);
    expect(await checkpointOf(one)).toMatchObject({ seq: 2 });
  });

  it.each([
    [
      "a signed record is missing",
      "DELETE FROM audit WHERE seq > 1; DELETE FROM checkpoints",
      "record 3 is missing or was changed after it was signed",
    ],
    [
      "a signed record was replaced",
      `UPDATE audit SET hash = '${"1".repeat(64)}' WHERE seq = 3`,
      "record 3 is missing or was changed after it was signed",
    ],
  ])("stops signing when %s", async (_name, sql, reason) => {
    const one = open();
    for (let n = 0; n < 3; n += 1) await one.log.record(outcome());
    await one.log.close();
    tamper(sql);
    const other = open();
    for (let n = 0; n < 3; n += 1) await other.log.record(outcome({ tool_id: "c:d" }));
    await other.log.recover();
    await other.log.recover();
    expect(other.logged).toEqual([`The audit log is no longer signed: ${reason}. Run \`anygpt mcp audit --verify\`.`]);
    expect(await checkpointOf(other)).toMatchObject({ seq: 3 });
    // Removing the evidence does not make this process sign again.
    await rm(other.files.checkpointFile);
    tamper("DELETE FROM checkpoints");
    await other.log.recover();
    expect(await signed(other)).toEqual([]);
  });

  it.each([
    ["is empty", () => ""],
    ["ends too early", (text: string) => text.slice(0, 60)],
    ["has only zero bytes", (text: string) => "\0".repeat(text.length)],
  ])("restores a checkpoint file that %s from the store, and records that", async (_, tear) => {
    const one = open();
    for (let n = 0; n < 3; n += 1) await one.log.record(outcome());
    await one.log.close();
    const file = one.files.checkpointFile;
    const torn = tear(await readFile(file, "utf8"));
    await writeFile(file, torn);
    const other = open();
    await other.log.record(outcome());
    await other.log.close();
    expect(await checkpointOf(other)).toMatchObject({ seq: 5 });
    expect(await readFile(`${file}.torn`, "utf8")).toBe(torn);
    expect((await bodies(other)).at(-1)).toMatchObject({
      kind: "note",
      action: "restore_checkpoint_file",
      subject: "checkpoint of record 3",
      by: "gateway",
    });
    expect(other.logged).toEqual([expect.stringMatching(/was incomplete and was restored/)]);
    expect(await verifyAudit(other.store.audit, other.files, 0)).toMatchObject({ findings: [], signedThrough: 5 });
  });

  it("restores a torn checkpoint file of a log that was never signed", async () => {
    const one = open();
    await one.log.record(outcome());
    await writeFile(one.files.checkpointFile, "");
    await one.log.close();
    expect(await checkpointOf(one)).toMatchObject({ seq: 2 });
    expect(await verifyAudit(one.store.audit, one.files, 0)).toMatchObject({ findings: [], signedThrough: 2 });
  });

  it.each([
    ["the signed record is missing", "DELETE FROM audit WHERE seq = 3"],
    ["the signed record was replaced", `UPDATE audit SET hash = '${"1".repeat(64)}' WHERE seq = 3`],
    ["its signature is not valid", "UPDATE checkpoints SET at = at + 1"],
    ["all checkpoints in the store are of another key", "UPDATE checkpoints SET key_id = 'other'"],
  ])("does not restore a torn checkpoint file from the store if %s", async (_, sql) => {
    const one = open();
    for (let n = 0; n < 3; n += 1) await one.log.record(outcome());
    await one.log.close();
    await writeFile(one.files.checkpointFile, "");
    tamper(sql);
    const other = open();
    await other.log.recover();
    expect(other.logged).toEqual([expect.stringMatching(/no longer signed: .*-checkpoint\.json cannot be read/)]);
    expect(await readFile(one.files.checkpointFile, "utf8")).toBe("");
  });

  it.each([
    ["cannot be read", '{"seq":"x"}', /-checkpoint\.json cannot be read/],
    [
      "has an invalid signature",
      '{"seq":1,"hash":"h","at":1,"key_id":"k","signature":"AA=="}',
      /of record 1 is not signed with the current key/,
    ],
  ])("does not sign while the checkpoint file %s", async (_name, text, reason) => {
    const one = open();
    await one.log.record(outcome());
    await writeFile(one.files.checkpointFile, text);
    await one.log.close();
    expect(one.logged).toEqual([expect.stringMatching(reason)]);
    expect(await signed(one)).toEqual([]);
    expect(await readFile(one.files.checkpointFile, "utf8")).toBe(text);
  });

  it("signs again after the key was replaced and the file moved away", async () => {
    const one = open();
    for (let n = 0; n < 2; n += 1) await one.log.record(outcome());
    await one.log.close();
    await rm(one.files.signingKeyFile);
    await rm(one.files.checkpointFile);
    const other = open();
    await other.log.recover();
    expect(await checkpointOf(other)).toMatchObject({ seq: 2 });
    for (let n = 0; n < 2; n += 1) {
      await other.log.record(outcome());
      await other.log.recover();
    }
    expect([one.logged, other.logged]).toEqual([[], []]);
    expect(await signed(one)).toEqual([2, 3, 4]);
    expect(await checkpointOf(other)).toMatchObject({ seq: 4 });
  });

  it("does not replace a checkpoint file that is signed with an old key", async () => {
    const one = open();
    await one.log.record(outcome());
    await one.log.close();
    await rm(one.files.signingKeyFile);
    const other = open();
    await other.log.record(outcome());
    await other.log.close();
    expect(other.logged).toEqual([
      expect.stringContaining("the checkpoint of record 1 is not signed with the current key"),
    ]);
  });

  it("does not sign when a record that this process wrote is missing", async () => {
    const one = open();
    await one.log.record(outcome());
    await one.log.record(outcome());
    tamper("DELETE FROM audit WHERE seq = 2");
    await one.log.close();
    expect(one.logged).toEqual([expect.stringContaining("record 2 is missing or was changed after it was written")]);
    expect(await signed(one)).toEqual([]);
  });

  it("fails no record when the signing key cannot be read, and logs the reason", async () => {
    const one = open({ signingKey: createLocalKey(folder()) });
    await one.log.record(outcome());
    one.timers[0]!.run();
    await one.log.close();
    expect(one.logged.length).toBeGreaterThan(0);
    expect(one.logged[0]).toContain("Maintenance of the audit log failed: The key file");
  });
});
