// A caller requests tools outside its view in every way. The answers reveal nothing and are those of a gateway without
// these tools; their timing is compared with that of names that do not exist.
import { askModern, openMcpSession } from "../../../support/mcp-http.js";
import { type ServedGateway, openServedGateway, tokenEntry, tokenOf } from "../../support/served-gateway.js";
import type { Json } from "../../support/gateway.js";
import { openHiddenServer } from "../../support/hidden-server.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { compareSamples } from "../../support/kolmogorov.js";
import { createRandom, type Random } from "../../support/random.js";
import type { Gate, RowOptions, RowResult } from "../../support/row.js";

/** Words that occur nowhere else. */
const SECRET = ["zebrafinch", "quokkaline", "xylofrob"] as const;
const HIDDEN = SECRET.map((word) => ({
  name: `${word}_payout`,
  description: `Moves the ${word} funds.`,
  inputSchema: { type: "object", properties: { [`${word}_amount`]: { type: "number" } } },
}));
const LEAK = new RegExp(SECRET.join("|"), "i");
const TIMED_SHARE = 0.5;
/** Below the first probability the difference is reported; below the second it counts as real. */
const MIN_P = 0.01;
const SURE_P = 1e-6;
/** So many that a few dozen rounds are enough for all. */
const QUESTIONS_PER_TURN = 8;

/** `count`: how many times a hidden tool and a missing tool are called in turn. */
export async function hiddenTools({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  const hidden = await openHiddenServer(HIDDEN);
  try {
    return await inHome(async (home) =>
      inHome(async (bare) => {
        const view = { servers: ["seen", "mixed"], tools: ["read"] };
        const rest = {
          policy: { views: { few: view } },
          http: { port: 0, tokens: [tokenEntry("agent", { view: "few" })] },
        };
        home.configure({ seen: home.stdio("seen"), mixed: home.stdio("mixed"), vault: { url: hidden.url } }, rest);
        bare.configure({ seen: bare.stdio("seen"), mixed: bare.stdio("mixed") }, rest);
        const random = createRandom(seed);
        const [full, without] = [await openProbe(home, dist), await openProbe(bare, dist)];
        const seen = await compareAll(full, without, random.shuffle(questions()).slice(0, count * QUESTIONS_PER_TURN));
        onProgress?.(`${seen.n} questions`);
        const timed = await time(full, { count, random });
        const violations = [...seen.violations, ...timed.violations];
        if (!(await full.isKnown()))
          violations.push("the gateway itself does not know the hidden tools: the row tested nothing");
        if (hidden.calls() > 0) violations.push(`${hidden.calls()} calls reached the hidden server`);
        for (const gateway of [full, without]) await gateway.stop();
        const { p, distance } = compareSamples(timed.hidden, timed.none);
        const gate: Gate = {
          of: "p-value of the time difference between hidden and missing tools",
          allowed: `at least ${MIN_P}`,
          seen: String(Number(p.toPrecision(3))),
          verdict: p >= MIN_P ? "met" : "not met",
        };
        if (p < SURE_P)
          violations.push(`response times distinguish hidden tools from missing ones: p ${p}, distance ${distance}`);
        return {
          title: "tools outside the caller's view",
          n: seen.n + timed.hidden.length + timed.none.length,
          injected: seen.n + timed.hidden.length,
          violations,
          gates: [gate],
          figures: {
            questions: seen.n,
            "KS p-value": Number(p.toPrecision(3)),
            "KS distance": Number(distance.toPrecision(3)),
            "median ms, hidden": medianOf(timed.hidden),
            "median ms, missing": medianOf(timed.none),
          },
        };
      }),
    );
  } finally {
    await hidden.close();
  }
}

interface Probe {
  /** As the caller with the restricted view. */
  readonly ask: (question: Question) => Promise<string>;
  readonly call: (server: string, tool: string) => Promise<string>;
  /** Whether a local user finds the tools that are hidden from the caller. */
  readonly isKnown: () => Promise<boolean>;
  readonly stop: () => Promise<void>;
}

interface Question {
  readonly way: "session" | "stateless" | "gateway" | "rest";
  readonly method: string;
  readonly params?: Json;
}

async function openProbe(home: FaultHome, dist: string): Promise<Probe> {
  const gateway = await openServedGateway(home, { dist });
  const caller = { url: gateway.url, token: tokenOf("agent") };
  const session = await openMcpSession(caller);
  const isKnown = async (): Promise<boolean> =>
    LEAK.test(await restText(gateway, gateway.token, "/api/search?q=zebrafinch+funds"));
  // All servers are listed before the comparison.
  for (const server of ["seen", "mixed", "vault"])
    await restText(gateway, gateway.token, `/api/adapters/${server}/tools`);
  return {
    async ask({ way, method, params = {} }) {
      if (way === "rest") return await restText(gateway, caller.token, method);
      if (way === "session") return JSON.stringify((await session.ask(method, params)).messages);
      const path = way === "gateway" ? "/mcp/gateway" : "/mcp";
      return JSON.stringify((await askModern({ ...caller, path }, method, params)).messages);
    },
    call: async (server, tool) =>
      JSON.stringify((await session.ask("tools/call", execution(server, tool))).answer.result),
    isKnown,
    stop: () => gateway.stop(),
  };
}

async function restText({ url }: ServedGateway, token: string, path: string): Promise<string> {
  const [at = "", method = "GET"] = path.split(" ").toReversed();
  const response = await fetch(`${url}${at}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(method === "POST" ? { "content-type": "application/json" } : {}) },
    ...(method === "POST" ? { body: "{}" } : {}),
  });
  return `${response.status} ${await response.text()}`;
}

const execution = (server: string, tool: string): Json => ({
  name: "execute_tool",
  arguments: { server, tool, arguments: {}, options: { idempotency_key: "k" } },
});

/** Every way to find a tool: by its name, parts of it, its description and its server. */
function questions(): Question[] {
  const words = [
    ...SECRET,
    "zebrafinch_payout",
    "zebrafin",
    "vault",
    "vaul",
    "mixed",
    "destroy",
    "moves the funds",
    "erase something",
  ];
  const meta = (name: string, args: Json): Json => ({ name, arguments: args });
  const both = (method: string, params: Json): Question[] => [
    { way: "session", method, params },
    { way: "stateless", method, params },
  ];
  return [
    ...both("tools/list", {}),
    ...both("resources/list", {}),
    ...both("resources/templates/list", {}),
    ...both("prompts/list", {}),
    ...both("tools/call", meta("list_mcp_servers", {})),
    { way: "gateway", method: "tools/call", params: meta("gateway.adapters", {}) },
    { way: "gateway", method: "tools/call", params: meta("gateway.reference", {}) },
    { way: "rest", method: "/api/servers" },
    { way: "rest", method: "/api/adapters" },
    { way: "rest", method: "/openapi.json" },
    ...words.flatMap((word) => [
      ...both("tools/call", meta("search_tools", { query: word })),
      ...both("tools/call", meta("search_tools", { query: "read", server: word })),
      ...both("tools/call", meta("list_tools", { server: word, includeDisabled: true })),
      ...both("tools/call", meta("get_tool_details", { server: "vault", tool: word })),
      ...both("tools/call", meta("get_tool_details", { server: "mixed", tool: word })),
      ...both("tools/call", execution("vault", word)),
      ...both("tools/call", execution(word, "read")),
      ...both("tools/call", execution("mixed", word)),
      ...both("tools/call", meta(`vault__${word}`, {})),
      ...both("resources/read", { uri: `anygpt://tools/vault/${word}` }),
      ...both("prompts/get", { name: word }),
      ...both("completion/complete", {
        ref: { type: "ref/prompt", name: "discover_mcp" },
        argument: { name: "name", value: word.slice(0, 4) },
      }),
      { way: "gateway" as const, method: "tools/call", params: meta("gateway.intent", { prompt: word }) },
      { way: "gateway" as const, method: "tools/call", params: meta("gateway.tools", { adapter: word }) },
      {
        way: "gateway" as const,
        method: "tools/call",
        params: meta("gateway.execute", { tool_id: `vault:${word}`, params: {} }),
      },
      { way: "rest" as const, method: `/api/search?q=${encodeURIComponent(word)}` },
      { way: "rest" as const, method: `/api/adapters/${encodeURIComponent(word)}/tools` },
      { way: "rest" as const, method: `/api/adapters/vault/tools/${encodeURIComponent(word)}` },
      { way: "rest" as const, method: `POST /api/adapters/vault/tools/${encodeURIComponent(word)}` },
    ]),
  ];
}

/** The caller's own input may be echoed; nothing else may name the tool. */
async function compareAll(full: Probe, without: Probe, all: readonly Question[]) {
  const violations: string[] = [];
  for (const question of all) {
    const what = `${question.way} ${question.method} ${JSON.stringify(question.params ?? {})}`;
    const [seen, control] = [await full.ask(question), await without.ask(question)];
    const own = seen.replaceAll(
      new RegExp(SECRET.filter((word) => what.includes(word.slice(0, 8))).join("|") || "$^", "gi"),
      "",
    );
    if (LEAK.test(own)) violations.push(`${what}: names a hidden tool: ${seen.slice(0, 300)}`);
    if (toShape(seen) !== toShape(control)) {
      violations.push(`${what}: ${toShape(seen).slice(0, 300)} is not ${toShape(control).slice(0, 300)}`);
    }
  }
  return { n: all.length, violations };
}

/** Without the parts that differ in every answer. */
function toShape(text: string): string {
  return text
    .replaceAll(/\\*"request_id\\*":\s*\\*"[^"\\]*\\*"/g, "")
    .replaceAll(/\d+(?:\.\d+)? ms/g, "")
    .replaceAll(/"(?:ttlMs|lastModified)":[^,}]*/g, "")
    .replaceAll(/127\.0\.0\.1:\d+/g, "");
}

async function time(probe: Probe, { count, random }: { count: number; random: Random }) {
  const [hidden, none]: [number[], number[]] = [[], []];
  const shapes = new Set<string>();
  const one = async (tool: string, into: number[]): Promise<void> => {
    const from = performance.now();
    const answer = await probe.call("mixed", tool);
    into.push(performance.now() - from);
    shapes.add(toShape(answer).replaceAll(tool, "TOOL"));
  };
  for (let turn = 0; turn < count; turn += 1) {
    const isFirst = random.chance(TIMED_SHARE);
    if (isFirst) await one("destroy", hidden);
    await one("destrox", none);
    if (!isFirst) await one("destroy", hidden);
  }
  const violations =
    shapes.size === 1 ? [] : [`answers distinguish a hidden tool from a missing one: ${[...shapes].join(" or ")}`];
  return { hidden, none, violations };
}

function medianOf(sample: readonly number[]): number {
  return Number((sample.toSorted((one, other) => one - other)[Math.floor(sample.length / 2)] ?? 0).toPrecision(3));
}
