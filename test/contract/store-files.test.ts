import { readFileSync } from "node:fs";
import { copyFile, mkdtemp, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createStore } from "../../src/store/create-store.js";
import { examineStore } from "../../src/store/repair.js";
import { verifyStored } from "../support/stored-chain.js";
import { eventually } from "../support/eventually.js";
import { createStoreProcesses, type StoreProcess, type StoreProcesses } from "./store-processes.js";

let processes: StoreProcesses;
beforeAll(async () => {
  processes = await createStoreProcesses();
});
afterAll(async () => {
  await processes.close();
});

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "store-files-"));
});
afterEach(async () => {
  await processes.killAll();
  await rm(folder, { recursive: true, force: true });
});

const isStopped = (pid: number): boolean => {
  const line = readFileSync(`/proc/${pid}/stat`, "utf8");
  return line.slice(line.lastIndexOf(")") + 2).startsWith("T");
};

/** The files that a power failure at this moment would leave: the database and its log, without shared memory. */
async function copyAtOnce(writers: readonly StoreProcess[], from: string, to: string): Promise<void> {
  for (const { child } of writers) child.kill("SIGSTOP");
  for (const { child } of writers) await eventually(() => isStopped(child.pid ?? 0));
  await copyFile(from, to);
  await copyFile(`${from}-wal`, `${to}-wal`);
}

async function readCopy(file: string) {
  expect(examineStore(file)).toEqual({ kind: "healthy" });
  const store = createStore({ file, inline: true });
  const marks = new Map<number, string>();
  for (let page = await store.audit.read({}); page.length > 0; page = await store.audit.read({ after: marks.size })) {
    for (const { seq, hash } of page) marks.set(seq, hash);
  }
  const verdict = await verifyStored(store.audit);
  await store.close();
  return { marks, verdict };
}

async function startWriters(count: number, file: string): Promise<StoreProcess[]> {
  const writers = await processes.start(count, { file });
  for (const [n, writer] of writers.entries()) {
    writer.run({ kind: "append-on-and-on", name: `w${n}` }).catch(() => undefined);
  }
  return writers;
}

describe.runIf(process.platform === "linux")("the files of the embedded store", () => {
  it("open cleanly at any moment with every acknowledged write", async () => {
    const file = join(folder, "store.db");
    const writers = await startWriters(3, file);
    for (let round = 0; round < 8; round += 1) {
      await Promise.all(writers.map((writer) => writer.untilWritten(1 + ((round * 37) % 90))));
      const copy = join(folder, `copy-${round}.db`);
      await copyAtOnce(writers, file, copy);
      const { marks, verdict } = await readCopy(copy);
      expect(verdict).toMatchObject({ kind: "whole", records: marks.size });
      const written = writers.flatMap((writer) => writer.written);
      expect(written.filter(({ seq, hash }) => marks.get(seq) !== hash)).toEqual([]);
      for (const { child } of writers) child.kill("SIGCONT");
    }
  });

  it("open with an intact prefix when their log was truncated anywhere", async () => {
    const file = join(folder, "store.db");
    const writers = await startWriters(1, file);
    await writers[0]!.untilWritten(40);
    const whole = join(folder, "whole.db");
    await copyAtOnce(writers, file, whole);
    const { size } = await stat(`${whole}-wal`);
    const lengths: number[] = [];
    for (let part = 1; part <= 12; part += 1) {
      const copy = join(folder, `cut-${part}.db`);
      await copyFile(whole, copy);
      await copyFile(`${whole}-wal`, `${copy}-wal`);
      await truncate(`${copy}-wal`, Math.floor((size * part) / 12) - 511 * (part % 2));
      const { marks, verdict } = await readCopy(copy);
      expect(verdict).toMatchObject({ kind: "whole", records: marks.size });
      lengths.push(marks.size);
    }
    expect(lengths).toEqual([...lengths].sort((a, b) => a - b));
    expect(lengths.at(-1)).toBeGreaterThanOrEqual(39);
  });
});
