// The same call through every surface of the gateway, for every reason to refuse one: the decision and its code are the
// same.
import { writeFileSync } from "node:fs";
import { readAudit } from "../../support/audit.js";
import { type EntryCall, openEntryPoints } from "../../support/entry-points.js";
import { openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { createRandom } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";

interface Reason {
  readonly name: string;
  readonly call: EntryCall;
  readonly code: string;
  /** A hidden tool has no name in full mode: there the protocol reports an unknown tool. */
  readonly isUnlisted?: boolean;
}

const STORED = "key-stored";
const toCall = (tool: string, id: string, more: Partial<EntryCall> = {}): EntryCall => ({
  server: "one",
  tool,
  arguments: { id },
  ...more,
});

const GUARDED = {
  policy: {
    pinning: "enforce",
    localScopes: ["few"],
    scopes: [{ tools: ["erase", "idempotent_effect"], required_scopes: ["more"] }],
    idempotency: { requiredFrom: { elsewhere: "high", gateway: "high" } },
    buckets: { few: { calls: 1, perSeconds: 3600 } },
    rateLimits: [{ tools: "one:read", rate_limit_bucket: "few" }],
  },
  toolRules: [{ pattern: "two:read", enabled: false }],
  cache: { ttl: 0 },
};
const STRICT = { policy: { preset: "strict", pinning: "off" } };

const REASONS: readonly Reason[] = [
  { name: "no scope", call: toCall("erase", "scope", { key: "key-scope" }), code: "SCOPE_REQUIRED" },
  {
    name: "a stored answer and no scope",
    call: toCall("idempotent_effect", "stored", { key: STORED }),
    code: "SCOPE_REQUIRED",
  },
  { name: "no key", call: toCall("effect", "no-key"), code: "IDEMPOTENCY_REQUIRED" },
  {
    name: "a key of other arguments",
    call: toCall("effect", "other", { key: "key-used" }),
    code: "IDEMPOTENCY_CONFLICT",
  },
  { name: "unconfirmed", call: toCall("destroy", "sure", { key: "key-sure" }), code: "CONFIRMATION_REQUIRED" },
  { name: "rate-limited", call: toCall("read", "rate"), code: "RATE_LIMITED" },
  {
    name: "wrong arguments",
    call: toCall("effect", "", { arguments: { id: 1 }, key: "key-wrong" }),
    code: "TOOL_VALIDATION_ERROR",
  },
  {
    name: "quarantined",
    call: toCall("effect", "odd", { server: "odd", key: "key-odd" }),
    code: "TOOL_QUARANTINED",
    isUnlisted: true,
  },
  { name: "disabled", call: toCall("read", "off", { server: "two" }), code: "TOOL_DISABLED", isUnlisted: true },
  { name: "unknown", call: toCall("nothing", "none"), code: "TOOL_NOT_FOUND", isUnlisted: true },
];
const CONTROL: Reason = {
  name: "a call that may run",
  call: toCall("effect", "control", { key: "key-control" }),
  code: "ran",
};
const DENIED: Reason = {
  name: "denied",
  call: toCall("effect", "denied", { key: "key-denied" }),
  code: "POLICY_DENIED",
};

/** `count`: for how many reasons each entry point is tried; the control is extra. */
export async function entryPoints({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  const random = createRandom(seed);
  const chosen = random.shuffle([...REASONS, DENIED]).slice(0, count);
  const guarded = await runMatrix(dist, GUARDED, [...chosen.filter((one) => one !== DENIED), CONTROL]);
  onProgress?.(`${guarded.cells} cells`);
  const strict = chosen.includes(DENIED) ? await runMatrix(dist, STRICT, [DENIED]) : { violations: [], cells: 0 };
  const n = guarded.cells + strict.cells;
  const violations = [...guarded.violations, ...strict.violations];
  const figures = { reasons: chosen.length, cells: n, "legacy SSE": "not served" };
  return { title: "the same decision on every surface", n, injected: n, violations, figures };
}

async function runMatrix(dist: string, sections: object, reasons: readonly Reason[]) {
  return await inHome(async (home) =>
    inHome(async (other) => {
      const servers = { one: home.stdio("one"), two: home.stdio("two"), odd: other.stdio("odd") };
      if (sections === GUARDED) await prepare(home, dist, servers);
      // From now on this server returns another definition of its tools.
      writeFileSync(other.path("description.txt"), "Now with more.");
      const { all, close } = await openEntryPoints({ home, dist, servers, sections });
      const violations: string[] = [];
      for (const { name, call, code, isUnlisted } of reasons) {
        for (const way of all) {
          const got = await way.call(call).catch((error: unknown) => String(error));
          const isHere = isUnlisted === true && way.name === "tools/call in full mode";
          if (got !== (isHere ? "refused" : code)) violations.push(`${name}, ${way.name}: ${got} instead of ${code}`);
        }
      }
      await close();
      violations.push(...judgeLedger(home, other), ...(await readAudit(home, dist)).violations);
      return { violations, cells: reasons.length * all.length };
    }),
  );
}

/** The state before the first request: a stored answer for a key, an empty bucket, and the first definitions of the servers. */
async function prepare(home: FaultHome, dist: string, servers: Record<string, object>): Promise<void> {
  const { scopes: _scopes, idempotency: _keys, ...policy } = GUARDED.policy;
  const config = home.configure(servers, { ...GUARDED, policy }, "before.json");
  const gateway = await openGateway(home, { dist, config });
  const run = async ({ server, tool, arguments: given, key }: EntryCall): Promise<void> => {
    const options = key === undefined ? {} : { options: { idempotency_key: key } };
    const outcome = await gateway.execute({ server, tool, arguments: given, ...options });
    if (outcome.kind !== "answer") throw new Error(`${server}:${tool} ended in ${JSON.stringify(outcome)}.`);
  };
  await run(toCall("idempotent_effect", "stored", { key: STORED }));
  await run(toCall("effect", "used", { key: "key-used" }));
  await run(toCall("read", "first"));
  await run(toCall("read", "first", { server: "odd" }));
  await gateway.close();
}

function judgeLedger(home: FaultHome, other: FaultHome): string[] {
  const before = new Set(["stored", "used", "first", "control"]);
  const ran = [...home.ledger.entries(), ...other.ledger.entries()].filter(
    ({ kind, id }) => kind === "call" && !before.has(id),
  );
  const control = home.ledger.of("control", "effect").length;
  return [
    ...ran.map(({ id, tool }) => `${tool} was called for ${id}`),
    ...(control === 1 || home.ledger.of("used", "call").length === 0 ? [] : [`the control ran ${control} times`]),
  ];
}
