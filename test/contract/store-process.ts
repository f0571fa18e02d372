// One of several processes that share a store: opens it and runs the jobs that it receives one after the other.
import { createStore, type StoreParts } from "../../src/store/create-store.js";
import type { ResultQuotas } from "../../src/store/result-records.js";
import { storedResult } from "../support/stored-result.js";

export type Job =
  | { readonly kind: "open"; readonly parts: StoreParts }
  | { readonly kind: "reserve"; readonly keys: readonly string[]; readonly attempts: number }
  | { readonly kind: "carry-out"; readonly keys: readonly string[] }
  | { readonly kind: "take"; readonly count: number; readonly limit: number }
  | { readonly kind: "append"; readonly count: number; readonly name: string }
  | { readonly kind: "redeem"; readonly count: number }
  | { readonly kind: "note"; readonly ranks: readonly string[] }
  | { readonly kind: "store-results"; readonly count: number; readonly name: string; readonly quotas: ResultQuotas }
  | { readonly kind: "hold"; readonly name: string }
  | { readonly kind: "append-on-and-on"; readonly name: string }
  | { readonly kind: "leave" };

export const SUBJECT = { actor: "a", tool: "s:t", binding: "h" };
export const TTL_MS = 86_400_000;

type Opened = ReturnType<typeof createStore>;
let store: Opened;

const repeat = <T>(count: number, act: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => act(index)));

export const seenVersion = (rank: string, toolId = "t") => ({
  folder: "/f",
  toolId,
  version: `v${rank}`,
  validatedAt: "2026-01-01T00:00:00Z",
  rank,
});

const outcome = (name: string) => ({
  kind: "outcome" as const,
  request_id: name,
  timestamp: "2026-01-01T00:00:00.000Z",
  tool_id: "s:t",
});

const reserve = (key: string, requestId: string) =>
  store.keys.reserve({ actor: "a", tool: "s:t", key }, { fingerprint: "f", requestId, now: 1000, ttlMs: TTL_MS });

/** A whole call with a key: 1 if this process executed it. */
async function runKeyedCall(key: string): Promise<number> {
  const reservation = await reserve(key, `${process.pid}-${key}`);
  if (reservation.kind !== "reserved") return 0;
  if (!(await store.keys.dispatch(reservation.claim, 1001))) return 0;
  const answer = Buffer.from(`${process.pid}-${key}`);
  if (!(await store.keys.finish(reservation.claim, { kind: "completed", answer }, 1002))) {
    throw new Error(`${key} was taken over while its call ran.`);
  }
  return 1;
}

async function run(job: Job): Promise<unknown> {
  switch (job.kind) {
    case "open":
      store = createStore(job.parts);
      return await store.prepare();
    case "reserve": {
      const tries = await repeat(job.attempts, async (attempt) => {
        const results = await Promise.all(job.keys.map((key) => reserve(key, `${process.pid}-${attempt}-${key}`)));
        return results.filter(({ kind }) => kind === "reserved").length;
      });
      return tries.reduce((sum, won) => sum + won, 0);
    }
    case "carry-out": {
      const made = await Promise.all(job.keys.map(runKeyedCall));
      return made.reduce((sum, one) => sum + one, 0);
    }
    case "take": {
      const takes = await repeat(job.count, () =>
        store.rates.take({ bucket: "b", actor: "a", limit: job.limit, windowMs: 60_000, now: 1000 }),
      );
      return takes.filter(({ kind }) => kind === "taken").length;
    }
    case "append":
      return (await repeat(job.count, (index) => store.audit.append([outcome(`${job.name}-${index}`)]))).flat();
    case "redeem":
      return (await repeat(job.count, () => store.approvals.redeem("a1", SUBJECT, "approved", 1000))).filter(Boolean)
        .length;
    case "note": {
      const noted = await Promise.all(job.ranks.map((rank) => store.toolFiles.note([seenVersion(rank)])));
      return noted.flat().map(({ rank }) => rank);
    }
    case "store-results":
      for (let index = 0; index < job.count; index += 1) {
        await store.results.add(storedResult(`${job.name}-${index}`, { createdAt: 1000 + index }), job.quotas);
      }
      return job.count;
    case "hold": {
      await reserve(`${job.name}-reserved`, `${job.name}-1`);
      const dispatched = await reserve(`${job.name}-dispatched`, `${job.name}-2`);
      if (dispatched.kind === "reserved") await store.keys.dispatch(dispatched.claim, 1000);
      return await store.audit.append([{ ...outcome(`${job.name}-2`), kind: "intent" }]);
    }
    case "leave":
      process.disconnect();
      return await new Promise(() => undefined);
    case "append-on-and-on":
      for (let index = 0; ; index += 1) {
        const [mark] = await store.audit.append([outcome(`${job.name}-${index}`)]);
        process.send?.({ kind: "written", mark });
      }
  }
}

process.on("message", (job: Job) => {
  run(job).then(
    (value) => process.send?.({ kind: "done", value }),
    (error: unknown) => process.send?.({ kind: "failed", reason: String(error) }),
  );
});
