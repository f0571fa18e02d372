// Calls with every possible outcome, from many callers through several gateways with one store: each call has exactly
// one outcome record, an intent record before it if it was sent, all fields, and there is one hash chain without forks.
import { readAudit, settleAudit, type AuditEntry } from "../../support/audit.js";
import { waitFor } from "../../support/deadline.js";
import { type Execution, type Gateway, openGateway, type Outcome } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { createRandom, type Random } from "../../support/random.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const GATEWAYS = 3;
const IN_FLIGHT = 120;
const FIELDS = [
  "request_id",
  "timestamp",
  "actor_id",
  "surface",
  "tool_id",
  "params_hash",
  "risk",
  "decision",
  "outcome",
  "duration_ms",
];
/** Shares in percent. */
const KINDS = {
  ok: 40,
  tool_error: 10,
  denied: 15,
  invalid: 10,
  replay: 10,
  none: 5,
  dry: 5,
  timeout: 2,
  cancelled: 3,
} as const;
type Kind = keyof typeof KINDS;
/** Kinds of calls that succeed. */
const PROPER: ReadonlySet<Kind> = new Set(["ok", "replay", "dry"]);
const WANTED: Readonly<Record<Kind, string>> = {
  ok: "an answer",
  tool_error: "an answer",
  denied: "SCOPE_REQUIRED",
  invalid: "TOOL_VALIDATION_ERROR",
  replay: "a replay",
  none: "TOOL_NOT_FOUND",
  dry: "an answer",
  timeout: "TOOL_EXECUTION_TIMEOUT",
  cancelled: "no answer",
};

interface Made {
  readonly kind: Kind;
  readonly id: string;
  readonly outcome?: Outcome;
}

/** `count`: the number of calls. */
export async function mixedCalls({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    home.configure(
      { stdio: home.stdio("stdio"), http: await home.http("http"), http2: await home.http("http2") },
      {
        policy: { localScopes: ["few"], scopes: [{ tools: "erase", required_scopes: ["more"] }] },
        upstreams: { concurrency: 64, queue: 1000, queueWaitMs: 60_000 },
        audit: { keepRecords: 1_000_000 },
      },
    );
    const random = createRandom(seed);
    const { gateways, warm } = await openGateways(home, dist);
    const from = performance.now();
    const made = await drive({ gateways, random, count, home, ...(onProgress ? { onProgress } : {}) });
    const seconds = (performance.now() - from) / 1000;
    await settleAudit(home);
    for (const gateway of gateways) await gateway.close();
    const audit = await readAudit(home, dist);
    const counts = Object.fromEntries(
      Object.keys(KINDS).map((kind) => [kind, made.filter((one) => one.kind === kind).length]),
    );
    return {
      title: "calls with every kind of outcome",
      n: made.length,
      injected: made.filter(({ kind }) => !PROPER.has(kind)).length,
      violations: [...audit.violations, ...judge(made, audit.records, { home, warm })],
      figures: {
        gateways: GATEWAYS,
        "calls per second": Math.round(made.length / seconds),
        records: audit.records.length,
        ...counts,
      },
    };
  });
}

/** The number of calls until every server had answered once. */
async function openGateways(home: FaultHome, dist: string): Promise<{ gateways: Gateway[]; warm: number }> {
  const gateways: Gateway[] = [];
  let warm = 0;
  const untilAnswered = (gateway: Gateway, execution: Execution): Promise<boolean> =>
    waitFor(async () => {
      warm += 1;
      return (await gateway.execute(execution)).kind === "answer";
    }, "a first answer");
  for (let number = 0; number < GATEWAYS; number += 1) {
    const gateway = await openGateway(home, { dist });
    gateways.push(gateway);
    for (const server of ["stdio", "http", "http2"]) {
      await untilAnswered(gateway, { server, tool: "read", arguments: { id: `warm-${number}-${server}` } });
    }
  }
  await untilAnswered(gateways[0]!, keyed("stdio", "effect", "kept"));
  return { gateways, warm };
}

const keyed = (server: string, tool: string, id: string, more: object = {}): Execution => ({
  server,
  tool,
  arguments: { id, ...more },
  options: { idempotency_key: `key-${id}` },
});

interface Drive {
  readonly gateways: readonly Gateway[];
  readonly random: Random;
  readonly count: number;
  readonly home: FaultHome;
  readonly onProgress?: (text: string) => void;
}

async function drive({ gateways, random, count, home, onProgress }: Drive): Promise<Made[]> {
  const made: Made[] = [];
  const kinds = Object.entries(KINDS).flatMap(([kind, share]) => Array.from({ length: share }, () => kind as Kind));
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const id = `mixed-${next++}`;
      const [kind, gateway, server] = [
        random.pick(kinds),
        random.pick(gateways),
        random.pick(["stdio", "http", "http2"]),
      ];
      made.push({ kind, id, ...(await make(kind, { gateway, server, id, home })) });
      if (made.length % 5000 === 0) onProgress?.(`${made.length} of ${count} calls`);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  return made;
}

interface Making {
  readonly gateway: Gateway;
  readonly server: string;
  readonly id: string;
  readonly home: FaultHome;
}

async function make(kind: Kind, { gateway, server, id, home }: Making): Promise<{ outcome?: Outcome }> {
  switch (kind) {
    case "ok":
      return { outcome: await gateway.execute(keyed(server, "effect", id)) };
    case "tool_error":
      return { outcome: await gateway.execute(keyed(server, "effect", id, { mode: "tool_error" })) };
    case "denied":
      return { outcome: await gateway.execute(keyed(server, "erase", id)) };
    case "invalid":
      return { outcome: await gateway.execute({ ...keyed(server, "effect", id), arguments: { id: true } }) };
    case "replay":
      return { outcome: await gateway.execute(keyed("stdio", "effect", "kept")) };
    case "none":
      return { outcome: await gateway.execute(keyed(server, `tool-${id}`, id)) };
    case "dry":
      return { outcome: await gateway.execute({ ...keyed(server, "effect", id), options: { dry_run: true } }) };
    case "timeout": {
      const call = keyed(server, "effect", id, { mode: "hang" });
      return { outcome: await gateway.execute({ ...call, options: { ...call.options, timeout: 1 } }) };
    }
    case "cancelled": {
      const requestId = gateway.newId();
      const params = { name: "execute_tool", arguments: { ...keyed(server, "effect", id, { mode: "hang" }) } };
      let early: Outcome | undefined;
      // A cancelled call gets no answer, so the row does not wait for one.
      void gateway
        .raw(JSON.stringify({ jsonrpc: "2.0", id: requestId, method: "tools/call", params }), requestId)
        .then((outcome) => (early = outcome))
        .catch(() => undefined);
      await waitFor(() => early !== undefined || home.ledger.of(id, "call").length > 0, `the call ${id}`);
      if (early !== undefined) return { outcome: early };
      gateway.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } }));
      return {};
    }
  }
}

function judge(
  made: readonly Made[],
  records: readonly AuditEntry[],
  { home, warm }: { home: FaultHome; warm: number },
): string[] {
  const found: string[] = [];
  for (const { kind, id, outcome } of made) {
    const got = outcome === undefined ? "no answer" : describe(outcome);
    if (!got.startsWith(WANTED[kind])) found.push(`${id}: ${kind} ended in ${got}`);
  }
  const outcomes = records.filter(({ kind }) => kind === "outcome");
  if (outcomes.length !== made.length + warm) found.push(`${outcomes.length} outcomes of ${made.length + warm} calls`);
  const byRequest = new Set(outcomes.map(({ request_id }) => request_id));
  const byKey = new Map<unknown, number>();
  for (const { idempotency_key: key, replayed_from: from } of outcomes) {
    if (from === undefined) byKey.set(key, (byKey.get(key) ?? 0) + 1);
  }
  for (const { kind, id, outcome } of made) {
    if (outcome?.kind === "error" && !byRequest.has(String(outcome.error["request_id"])))
      found.push(`${id}: no audit record`);
    const isKeyed = kind === "ok" || kind === "tool_error" || kind === "timeout" || kind === "cancelled";
    if (isKeyed && byKey.get(`key-${id}`) !== 1)
      found.push(`${id}: ${byKey.get(`key-${id}`) ?? 0} outcomes of ${kind}`);
  }
  for (const record of outcomes) {
    const missing = FIELDS.filter((field) => !(field in record));
    if (missing.length > 0) found.push(`${record.request_id}: missing fields ${missing.join()}`);
    if (record["decision"] === "allowed" && record["params_hash"] === null)
      found.push(`${record.request_id}: executed without a parameter hash`);
  }
  const intents = records.filter(({ kind }) => kind === "intent").length;
  const sent = home.ledger.entries().filter(({ kind, tool }) => kind === "call" && tool !== "read").length;
  if (intents !== sent) found.push(`${intents} intents for ${sent} sent calls`);
  return found;
}
