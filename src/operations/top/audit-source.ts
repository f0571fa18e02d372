// Computes the number and the duration of recent calls from the audit log, which all gateways of this machine share.
import type { AuditRecords } from "../../store/audit-records.js";
import { toShown, type ShownRecord } from "../audit/records.js";
import { describeSpan } from "../../util/time-words.js";
import { quantileOf } from "./quantile.js";
import { type Numbers, RATE_MS, type TopReading, type ServerReading, type ReadingSource } from "./reading.js";
import { NO_SERVER } from "./tally.js";

export interface AuditSourceParts {
  readonly audit: Pick<AuditRecords, "head" | "read">;
  readonly now: () => number;
  readonly close: () => Promise<void>;
}

/** A finished call in the audit log. */
export interface RecordedCall {
  readonly server: string;
  readonly endedAt: number;
  readonly ms: number;
  readonly isSuccess: boolean;
}

const WINDOW_MS = 900_000;
const MAX_CALLS = 50_000;
const PAGE_SIZE = 1000;

export function createAuditSource({ audit, now, close }: AuditSourceParts): ReadingSource {
  let calls: RecordedCall[] = [];
  let seen: number | undefined;

  /** Reads backwards from the newest call, until a call is too old or the maximum is reached. */
  async function readFirst(through: number): Promise<void> {
    const since = new Date(now() - WINDOW_MS).toISOString();
    let before = through + 1;
    while (calls.length < MAX_CALLS) {
      const page = await audit.read({ kind: "outcome", since, before, newestFirst: true, limit: PAGE_SIZE });
      calls.unshift(...page.map(toShown).flatMap(toCall).reverse());
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE_SIZE) return;
      before = last.seq;
    }
  }

  async function readNew(after: number, through: number): Promise<void> {
    for (let from = after; ; ) {
      const page = await audit.read({ kind: "outcome", after: from, before: through + 1, limit: PAGE_SIZE });
      calls.push(...page.map(toShown).flatMap(toCall));
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE_SIZE) return;
      from = last.seq;
    }
  }

  return {
    async read() {
      const { seq } = await audit.head();
      // The newest record has a lower number than before: the store was replaced by a new one.
      if (seen !== undefined && seq < seen) [calls, seen] = [[], undefined];
      if (seen === undefined) await readFirst(seq);
      else if (seq > seen) await readNew(seen, seq);
      seen = seq;
      const at = now();
      calls = calls.filter(({ endedAt }) => at - endedAt <= WINDOW_MS).slice(-MAX_CALLS);
      return readingFromAudit(calls, at);
    },
    close,
  };
}

export function readingFromAudit(calls: readonly RecordedCall[], at: number): TopReading {
  const byServer = groupByServer(calls);
  return {
    at,
    origin: "all gateways of this machine (audit log)",
    covers: `the last ${describeSpan(WINDOW_MS)}`,
    servers: [...byServer].map(([name, own]): ServerReading => ({ name, ...numbersOf(own, at), lastAt: lastOf(own) })),
    total: numbersOf(calls, at),
  };
}

function groupByServer(calls: readonly RecordedCall[]): Map<string, RecordedCall[]> {
  const groups = new Map<string, RecordedCall[]>();
  for (const call of calls) {
    const own = groups.get(call.server);
    if (own === undefined) groups.set(call.server, [call]);
    else own.push(call);
  }
  return groups;
}

function numbersOf(calls: readonly RecordedCall[], at: number): Numbers {
  const sorted = calls.map(({ ms }) => ms).sort((one, other) => one - other);
  const recent = calls.filter(({ endedAt }) => at - endedAt <= RATE_MS).length;
  return {
    calls: calls.length,
    errors: calls.filter(({ isSuccess }) => !isSuccess).length,
    perSecond: recent / (RATE_MS / 1000),
    p50Ms: quantileOf(sorted, 0.5),
    p95Ms: quantileOf(sorted, 0.95),
  };
}

function lastOf(calls: readonly RecordedCall[]): number {
  return calls.reduce((last, { endedAt }) => Math.max(last, endedAt), 0);
}

/** Converts a record to a call. Ignores records without the expected members: the log may have been tampered with. */
function toCall(record: ShownRecord): RecordedCall[] {
  const { tool_id: tool, timestamp, duration_ms: ms, outcome, error_code: code } = record;
  const beganAt = Date.parse(String(timestamp));
  if (typeof tool !== "string" || typeof ms !== "number" || !Number.isFinite(beganAt)) return [];
  const server = code === "SERVER_NOT_FOUND" ? NO_SERVER : (tool.split(":")[0] ?? tool);
  return [{ server, endedAt: beganAt + ms, ms, isSuccess: outcome === "ok" || outcome === "dry_run" }];
}
