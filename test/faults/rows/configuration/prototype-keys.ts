// Prototype pollution keys at every level of configurations, tool files and query strings: none has an effect.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig, parseConfig } from "../../../../src/config/load.js";
import { DiscoveryError } from "../../../../src/errors.js";
import type { RouteRequest } from "../../../../src/surfaces/http/route.js";
import { ROUTES } from "../../../../src/surfaces/http/routes.js";
import { parseToolFile } from "../../../../src/toolfiles/format/parse-tool-file.js";
import { createRandom, type Random } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const KEYS = ["__proto__", "constructor", "prototype"];
/** Properties that a polluted prototype would set on every object. */
const POISON = { enabled: false, preset: "default", confirmed: true, isTrusted: true, polluted: true };

const CONFIG = {
  servers: { a: { command: "x", env: { A: "1" } }, b: { url: "http://127.0.0.1:1/", headers: { H: "1" } } },
  toolRules: [{ pattern: "*", tags: ["t"] }],
  policy: { preset: "strict", confirmation: { mode: "human" }, idempotency: { requiredFrom: {} }, buckets: {} },
  cache: { ttl: 60 },
  search: {},
  http: { port: 1 },
};

const TOOL_FILE = {
  tool_id: "a.b",
  version: 1,
  inputSchema: { type: "object", properties: { x: { type: "string" } } },
  annotations: { readOnlyHint: true },
};

/** `count`: the number of documents. */
export async function prototypeKeys({ count, seed }: RowOptions): Promise<RowResult> {
  const random = createRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), "anygpt-prototypes-"));
  const violations: string[] = [];
  const counts: Record<string, number> = {};
  try {
    for (let n = 0; n < count; n += 1) {
      const kind = Object.keys(TRIALS)[n % Object.keys(TRIALS).length] as keyof typeof TRIALS;
      const key = random.pick(KEYS);
      const refusal = await TRIALS[kind]({ folder, key, random });
      counts[kind] = (counts[kind] ?? 0) + 1;
      if (refusal === undefined || !refusal.includes(key))
        violations.push(`${kind} with ${key}: ${refusal ?? "accepted"}`);
      const reached = Object.keys(POISON).filter((name) => name in {});
      if (reached.length > 0) violations.push(`${kind} with ${key}: every object has ${reached.join()}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  const title = "prototype pollution keys";
  return { title, n: count, injected: count, violations, figures: counts };
}

interface Trial {
  readonly folder: string;
  readonly key: string;
  readonly random: Random;
}

/** Each returns how the document was rejected. */
const TRIALS = {
  JSON: ({ folder, key, random }: Trial) => load(folder, "x.json", toJson(CONFIG, key, random)),
  // JSON output is valid YAML.
  YAML: ({ folder, key, random }: Trial) => load(folder, "x.yaml", toJson(CONFIG, key, random)),
  "a program's value": ({ key, random }: Trial) =>
    refusalOf(() => Promise.resolve(parseConfig(JSON.parse(toJson(CONFIG, key, random))))),
  "a tool file": ({ key, random }: Trial) => {
    const parsed = parseToolFile(toJson(TOOL_FILE, key, random), "a.b.yaml");
    const refusal =
      parsed.kind === "wrong" ? parsed.reasons.find((reason) => reason.includes("not allowed")) : undefined;
    return Promise.resolve(refusal);
  },
  "a query string": ({ key, random }: Trial) => {
    const { path, run } = random.pick(ROUTES.filter(({ method }) => method === "GET"));
    const names = path.match(/\{(\w+)\}/g) ?? [];
    const request = {
      path: Object.fromEntries(names.map((name) => [name.slice(1, -1), "x"])),
      incoming: { url: `${path}?${key}=true`, headers: {} },
    };
    return refusalOf(() => run(request as unknown as RouteRequest));
  },
};

async function load(folder: string, name: string, text: string): Promise<string | undefined> {
  const path = join(folder, name);
  writeFileSync(path, text);
  const parts = { cwd: folder, home: folder, anygptHome: join(folder, "state"), env: {}, path };
  return await refusalOf(() => loadConfig(parts));
}

async function refusalOf(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error instanceof DiscoveryError ? error.message : `unexpected error: ${String(error)}`;
  }
}

/** The document with the key in a random one of its maps. */
function toJson(document: object, key: string, random: Random): string {
  const text = JSON.stringify(document);
  const places = [...text.matchAll(/\{/g)].map(({ index }) => index + 1);
  const at = random.pick(places);
  const member = `${JSON.stringify(key)}:${JSON.stringify(POISON)}`;
  return `${text.slice(0, at)}${member}${text[at] === "}" ? "" : ","}${text.slice(at)}`;
}
