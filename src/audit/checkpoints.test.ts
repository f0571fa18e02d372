import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { checkpointOf, NOW, type Opened, outcome, setUpAuditLogs, signed } from "../../test/support/audit-logs.js";
import { createLocalKey } from "../util/local-key.js";
import type { Checkpoint } from "./chain.js";
import { MOST_UNSIGNED } from "./create-audit-log.js";
import { createSigner } from "./signer.js";

const { folder, open, tamper } = setUpAuditLogs();

describe("a checkpoint", () => {
  it("is signed ten seconds after a record, once for all of them", async () => {
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

  it("is signed with every thousandth record", async () => {
    const one = open();
    await Promise.all(Array.from({ length: MOST_UNSIGNED }, () => one.log.record(outcome())));
    expect(one.timers).toEqual([]);
    await one.log.close();
    expect(await signed(one)).toEqual([MOST_UNSIGNED]);
  });

  it("is signed with every thousandth record of the chain, whichever process wrote it", async () => {
    const two = [open(), open()];
    for (const { log } of two) await log.record(outcome());
    await Promise.all(Array.from({ length: MOST_UNSIGNED - 1 }, (_, n) => two[n % 2]!.log.record(outcome())));
    expect(two.map(({ timers }) => timers.length)).toEqual([1, 0]);
    await two[1]!.log.close();
    expect(await signed(two[0]!)).toEqual([MOST_UNSIGNED + 1]);
  });

  it("is signed on closing, and not twice for the same record", async () => {
    const one = open();
    await one.log.record(outcome());
    await one.log.close();
    await one.log.close();
    await open().log.recover();
    expect(await signed(one)).toEqual([1]);
  });

  it("needs a record: nothing else touches a file", async () => {
    const { log } = open();
    expect(await log.recover()).toBe(0);
    await log.close();
    expect(await readdir(folder())).toEqual([]);
  });

  it("in the file is never older than the newest, however many processes sign at once", async () => {
    const all = Array.from({ length: 6 }, () => open());
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(all.map(({ log }) => log.record(outcome())));
      await Promise.all(all.map(({ log }) => log.recover()));
    }
    const [one] = all as [Opened];
    expect((await checkpointOf(one)).seq).toBe((await signed(one)).at(-1));
    expect((await checkpointOf(one)).seq).toBe(30);
  });

  it("that another process signed and did not live to publish is published with the next", async () => {
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
      "a signed record is gone",
      "DELETE FROM audit WHERE seq > 1; DELETE FROM checkpoints",
      "record 3 is not the one that was signed",
    ],
    [
      "a signed record is another",
      `UPDATE audit SET hash = '${"1".repeat(64)}' WHERE seq = 3`,
      "record 3 is not the one that was signed",
    ],
  ])("is not signed any more when %s", async (_name, sql, reason) => {
    const one = open();
    for (let n = 0; n < 3; n += 1) await one.log.record(outcome());
    await one.log.close();
    tamper(sql);
    const other = open();
    for (let n = 0; n < 3; n += 1) await other.log.record(outcome({ tool_id: "c:d" }));
    await other.log.recover();
    await other.log.recover();
    expect(other.said).toEqual([
      `The audit record is not signed any more: ${reason}. Run \`anygpt mcp audit --verify\`.`,
    ]);
    expect(await checkpointOf(other)).toMatchObject({ seq: 3 });
  });

  it.each([
    ["cannot be read", "{", /-checkpoint\.json cannot be read/],
    [
      "is not ours",
      '{"seq":1,"hash":"h","at":1,"key_id":"k","signature":"AA=="}',
      /of record 1 is not signed with our key/,
    ],
  ])("is not signed over a file that %s", async (_name, text, reason) => {
    const one = open();
    await one.log.record(outcome());
    await writeFile(one.files.checkpointFile, text);
    await one.log.close();
    expect(one.said).toEqual([expect.stringMatching(reason)]);
    expect(await signed(one)).toEqual([]);
    expect(await readFile(one.files.checkpointFile, "utf8")).toBe(text);
  });

  it("is signed anew when the key was replaced and the file moved away", async () => {
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
    expect([one.said, other.said]).toEqual([[], []]);
    expect(await signed(one)).toEqual([2, 3, 4]);
    expect(await checkpointOf(other)).toMatchObject({ seq: 4 });
  });

  it("is not signed anew over a file of the key that was replaced", async () => {
    const one = open();
    await one.log.record(outcome());
    await one.log.close();
    await rm(one.files.signingKeyFile);
    const other = open();
    await other.log.record(outcome());
    await other.log.close();
    expect(other.said).toEqual([expect.stringContaining("the checkpoint of record 1 is not signed with our key")]);
  });

  it("is not signed when what this process wrote is not there", async () => {
    const one = open();
    await one.log.record(outcome());
    await one.log.record(outcome());
    tamper("DELETE FROM audit WHERE seq = 2");
    await one.log.close();
    expect(one.said).toEqual([expect.stringContaining("record 2 is not the one that was written")]);
    expect(await signed(one)).toEqual([]);
  });

  it("that cannot be written fails no record and is tried again", async () => {
    const one = open({ signingKey: createLocalKey(folder()) });
    await one.log.record(outcome());
    one.timers[0]!.run();
    await one.log.close();
    expect(one.said.length).toBeGreaterThan(0);
    expect(one.said[0]).toContain("could not be completed, signed or rotated: The key file");
  });
});
