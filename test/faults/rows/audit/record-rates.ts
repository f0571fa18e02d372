// How long calls wait for their audit records at a given rate: an intent before each call and an outcome after it,
// written by the store thread, which syncs all waiting records together. Calls start on schedule, whether or not earlier
// calls have finished.
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuditLog } from "../../../../src/audit/create-audit-log.js";
import type { AuditEntry } from "../../../../src/audit/entry.js";
import { auditFiles } from "../../../../src/audit/files.js";
import { auditOptions } from "../../../../src/audit/options.js";
import { createStore, storeFile } from "../../../../src/store/create-store.js";
import { createLocalKey } from "../../../../src/util/local-key.js";
import { verifyStored } from "../../../support/stored-chain.js";
import { cpuMs } from "../../../support/cpu-time.js";
import { waitedForCpuMs } from "../../support/cpu.js";
import { round } from "../../support/measure.js";
import type { Gate, RowOptions, RowResult } from "../../support/row.js";
import { judgeFigure, judgeTime, p99, together } from "../../support/timing.js";

const RATES = [
  { perSecond: 1000, gateMs: 5 },
  { perSecond: 5000, gateMs: 10 },
] as const;
const TICK_MS = 1;
/** A factor above the gate that a slow machine does not explain, unless other processes use its processors. */
const FAR_TOO_LONG = 10;
/** Share of the run time: if a process waits longer than this for a processor, the delays of its calls say nothing. */
const CROWDED_SHARE = 0.05;
/** If the records need more than one core, one writer cannot keep the rate. */
const CORE_MICROS = 1e6;
const CORES = 2;
const CONTROL_WRITES = 100;
const CONTROL_BYTES = 4096;

/** `count`: how many seconds each rate lasts. */
export async function recordRates({ count, onProgress }: RowOptions): Promise<RowResult> {
  const violations: string[] = [];
  const figures: Record<string, number | string> = {};
  const all: number[] = [];
  const gates: Gate[] = [];
  const control = syncPairs();
  for (const { perSecond, gateMs } of RATES) {
    const { ms, seconds, micros, isCrowded, problems } = await runRate(perSecond, count);
    const of = `audit records of a call at ${perSecond} calls per second`;
    const judged = together([
      judgeTime({ of, ms, gateMs, control, timesGate: isCrowded ? Number.POSITIVE_INFINITY : FAR_TOO_LONG }),
      judgeFigure({
        of: `CPU time for the ${of}`,
        seen: micros,
        max: CORE_MICROS / perSecond,
        beyond: (CORES * CORE_MICROS) / perSecond,
        unit: "µs",
      }),
    ]);
    violations.push(...problems, ...judged.violations);
    gates.push(...judged.gates);
    all.push(...ms);
    figures[`at ${perSecond} calls/s, records/s`] = Math.round((2 * ms.length) / seconds);
    figures[`at ${perSecond} calls/s, CPU was contended`] = isCrowded ? "yes" : "no";
    onProgress?.(`${perSecond} calls per second: p99 ${judged.gates[0]?.seen}`);
  }
  return {
    title: "audit records at a given call rate",
    n: all.length,
    injected: 0,
    violations,
    gates,
    figures: { ...figures, "two writes to the same disk, each synced, p99 ms": round(p99(control), 2) },
    times: { of: "wait for the audit records of a call, both rates", ms: all },
  };
}

/** The time that the disk itself needs for an intent and an outcome. */
function syncPairs(): number[] {
  const folder = mkdtempSync(join(tmpdir(), "anygpt-rates-"));
  const file = openSync(join(folder, "control"), "a");
  const sync = (): void => {
    writeSync(file, Buffer.alloc(CONTROL_BYTES));
    fsyncSync(file);
  };
  try {
    return Array.from({ length: CONTROL_WRITES }, () => {
      const from = performance.now();
      sync();
      sync();
      return performance.now() - from;
    });
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true, force: true });
  }
}

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
    const [from, computedFrom, waitedFrom] = [performance.now(), cpuMs(), waitedForCpuMs()];
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
    const isCrowded = waitedForCpuMs() - waitedFrom > CROWDED_SHARE * took * 1000;
    const micros = ((cpuMs() - computedFrom) / calls) * 1000;
    await log.close();
    const verdict = await verifyStored(store.audit);
    const isWhole = verdict.kind === "whole" && verdict.records === 2 * calls;
    const problems = isWhole
      ? []
      : [
          `at ${perSecond} calls/s the verification of the log gave ${JSON.stringify(verdict)}, ${2 * calls} records were written`,
        ];
    return { ms, seconds: took, micros, isCrowded, problems };
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
