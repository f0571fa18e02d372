// How long records make calls wait at a given rate: an intent before each and an outcome after, written by the store's own
// thread, which syncs all that came meanwhile at once. Calls come when their time has come, whatever became of those before.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuditLog } from "../../../../src/audit/create-audit-log.js";
import type { AuditEntry } from "../../../../src/audit/entry.js";
import { auditFiles } from "../../../../src/audit/files.js";
import { auditOptions } from "../../../../src/audit/options.js";
import { createStore, storeFile } from "../../../../src/store/create-store.js";
import { createLocalKey } from "../../../../src/util/local-key.js";
import { verifyStored } from "../../../support/stored-chain.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const RATES = [
  { perSecond: 1000, gateMs: 5 },
  { perSecond: 5000, gateMs: 10 },
] as const;
const TICK_MS = 1;

/** `count`: how many seconds each rate lasts. */
export async function recordRates({ count, onProgress }: RowOptions): Promise<RowResult> {
  const violations: string[] = [];
  const figures: Record<string, number | string> = {};
  const all: number[] = [];
  let n = 0;
  for (const { perSecond, gateMs } of RATES) {
    const { ms, seconds, problems } = await runRate(perSecond, count);
    const sorted = ms.toSorted((one, other) => one - other);
    const p99 = sorted[Math.ceil(0.99 * sorted.length) - 1] ?? 0;
    violations.push(...problems);
    n += ms.length;
    all.push(...ms);
    const met = p99 <= gateMs ? "met" : "not met";
    figures[`${perSecond} calls/s`] =
      `p50 ${ms2(sorted[Math.floor(sorted.length / 2)])} p99 ${ms2(p99)} ms, ${met} (${gateMs} ms), ${Math.round((2 * ms.length) / seconds)} records/s`;
    onProgress?.(`${perSecond} calls a second: p99 ${ms2(p99)} ms`);
  }
  return {
    title: "records at a rate",
    n,
    injected: n,
    violations,
    figures,
    times: { of: "the wait for the records of a call, both rates", ms: all },
  };
}

const ms2 = (ms = 0): number => Number(ms.toPrecision(2));

async function runRate(perSecond: number, seconds: number) {
  const folder = mkdtempSync(join(tmpdir(), "anygpt-rates-"));
  const store = createStore({ file: storeFile(folder) });
  try {
    const files = auditFiles(folder, storeFile(folder));
    const log = createAuditLog({
      chain: store.audit,
      prepareStore: () => store.prepare(),
      rotate: () => Promise.resolve(),
      checkpointFile: files.checkpointFile,
      key: createLocalKey(files.keyFile),
      signingKey: createLocalKey(files.signingKeyFile),
      options: () => auditOptions.parse({ keepRecords: 10_000_000 }),
      redact: (given) => given,
      now: () => Date.now(),
      newId: () => "id",
      schedule: () => () => undefined,
      log: () => undefined,
      warn: () => undefined,
    });
    await log.prepare();
    const calls = perSecond * seconds;
    const ms: number[] = [];
    const running: Promise<void>[] = [];
    const from = performance.now();
    const call = async (number: number): Promise<void> => {
      const due = from + (number * 1000) / perSecond;
      await log.record(toEntry(number, "intent"));
      await log.record(toEntry(number, "outcome"));
      ms.push(performance.now() - due);
    };
    for (let next = 0; next < calls; ) {
      const due = Math.min(calls, Math.floor(((performance.now() - from) / 1000) * perSecond));
      while (next < due) running.push(call(next++));
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
    await Promise.all(running);
    const took = (performance.now() - from) / 1000;
    await log.close();
    const verdict = await verifyStored(store.audit);
    const isWhole = verdict.kind === "whole" && verdict.records === 2 * calls;
    const problems = isWhole
      ? []
      : [`at ${perSecond} calls/s the record is ${JSON.stringify(verdict)}, ${2 * calls} were written`];
    return { ms, seconds: took, problems };
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function toEntry(number: number, kind: "intent" | "outcome"): AuditEntry {
  const call = {
    request_id: `request-${number}`,
    timestamp: new Date().toISOString(),
    actor_id: "local",
    surface: "mcp" as const,
    tool_id: "server:tool",
    params_hash: null,
    risk: "high",
  };
  if (kind === "intent") return { ...call, kind };
  return { ...call, kind, decision: "allowed", outcome: "ok", duration_ms: 1 };
}
