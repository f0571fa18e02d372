// Random changes of a configuration: the gateway rejects the file, or the file allows no call that it denied before,
// except for calls that the changed line itself denied.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../../../src/config/load.js";
import { DiscoveryError } from "../../../../src/errors.js";
import { createPolicy } from "../../../../src/policy/policy.js";
import { compileRuling, type CompileSelectors } from "../../../../src/policy/ruling.js";
import { compileRules } from "../../../../src/rules/compile.js";
import { decideRules } from "../../../../src/rules/decide.js";
import type { Tool } from "../../../../src/model/tool.js";
import { MUTATIONS, type PolicyLine } from "../../support/mutations.js";
import { createRandom } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const neither = (text: string): PolicyLine => ({ text, role: "neither" });
const restricts = (text: string): PolicyLine => ({ text, role: "restricts" });
const allows = (text: string): PolicyLine => ({ text, role: "allows" });

const BASE: readonly PolicyLine[] = [
  neither("{"),
  neither('"servers": {'),
  neither('"bank": {"command": "bank-server", "env": {"TOKEN": "${BANK}"}},'),
  neither('"files": {"command": "files-server", "args": ["--root", "/srv"]},'),
  neither('"mail": {"url": "https://mail.example/mcp"}'),
  neither("},"),
  neither('"toolRules": ['),
  restricts('{"pattern": "*drop*", "enabled": false},'),
  restricts('{"pattern": ["delete_*", "!delete_draft"], "server": "mail", "enabled": false},'),
  restricts('{"pattern": "/^(?:files):.*secret/i", "enabled": false},'),
  neither('{"pattern": "bank:*", "tags": ["money"]},'),
  allows('{"pattern": ["bank:*", "files:*", "mail:*"], "enabled": true}'),
  neither("],"),
  neither('"policy": {'),
  restricts('"preset": "strict",'),
  allows('"localScopes": ["read", "write:*"],'),
  neither('"risk": ['),
  restricts('{"tools": "bank:pay*", "risk": "destructive"},'),
  restricts('{"tools": "*_all", "risk": "destructive"},'),
  allows('{"tools": ["get_*", "list_*"], "risk": "low"},'),
  allows('{"tools": "*", "risk": "medium"}'),
  neither("],"),
  neither('"scopes": ['),
  restricts('{"server": "bank", "required_scopes": ["bank"]},'),
  restricts('{"tools": "files:write*", "required_scopes": ["write:files"]}'),
  neither("],"),
  restricts('"confirmation": {"mode": "human", "from": "high"},'),
  restricts('"pinning": "enforce"'),
  neither("},"),
  neither('"cache": {"ttl": 60},'),
  neither('"search": {}'),
  neither("}"),
];

const NAMES = [
  "bank:get_balance",
  "bank:pay",
  "bank:pay_all",
  "bank:drop_account",
  "files:get_file",
  "files:read_secret",
  "files:write_file",
  "files:write_all",
  "mail:list_mail",
  "mail:delete_mail",
  "mail:delete_draft",
  "mail:send_all",
  "other:get_x",
];
const ACTORS = [
  { id: "local" },
  { id: "reader", scopes: ["read"] },
  { id: "banker", scopes: ["bank"] },
  { id: "writer", scopes: ["write:files"] },
  { id: "admin", scopes: ["*"] },
];
const PINS = ["same", "changed"] as const;
const CALL = { surface: "mcp", hasKey: true, confirmed: true, canAsk: false, dryRun: false } as const;

/** `count`: the number of mutations. */
export async function configMutations({ count, seed, onProgress }: RowOptions): Promise<RowResult> {
  const random = createRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), "anygpt-mutations-"));
  const allowed = (lines: readonly string[]) => allowedBy(folder, lines.join("\n"));
  const base = BASE.map(({ text }) => text);
  const violations: string[] = [];
  const counts = { refused: 0, "allow as before": 0, "allow less": 0, "allow more, as the changed line states": 0 };
  try {
    const before = await allowed(base);
    if (before === undefined || before.size === 0) throw new Error("The unchanged configuration allows nothing.");
    for (let n = 0; n < count; n += 1) {
      const { name, lines, touched } = random.pick(MUTATIONS)(base, random.between(0, base.length), random);
      const after = await allowed(lines).catch((error: unknown) => {
        violations.push(`${name} at ${touched.join()}: ${String(error)}`);
        return undefined;
      });
      if (n % 2000 === 1999) onProgress?.(`${n + 1} of ${count}`);
      if (after === undefined) {
        counts.refused += 1;
        continue;
      }
      const wider = [...after].filter((one) => !before.has(one));
      if (wider.length === 0) counts[after.size === before.size ? "allow as before" : "allow less"] += 1;
      else if (await isMeant(touched, wider, allowed)) counts["allow more, as the changed line states"] += 1;
      else
        violations.push(
          `${name} at line ${touched.join()} (${touched.map((at) => base[at]).join()}) allows ${wider.join()}`,
        );
    }
    const figures = { ...counts, "calls per configuration": NAMES.length * ACTORS.length * PINS.length };
    const title = "random changes of a configuration";
    return { title, n: count, injected: count, violations, figures };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** As in the gateway: the policy uses the pattern syntax of the rules. */
const compileSelectors: CompileSelectors = async (selectors) => {
  const compiled = await compileRules([...selectors]);
  return (tool) => decideRules(compiled, tool).applied;
};

type Allowed = (lines: readonly string[]) => Promise<ReadonlySet<string> | undefined>;

/** Only the changed lines may have denied what is allowed now. */
async function isMeant(touched: readonly number[], wider: readonly string[], allowed: Allowed): Promise<boolean> {
  if (touched.some((at) => BASE[at]?.role === "allows")) return true;
  const without = await allowed(
    BASE.filter((line, at) => !(touched.includes(at) && line.role === "restricts")).map(({ text }) => text),
  );
  return without !== undefined && wider.every((one) => without.has(one));
}

/** Every allowed call; undefined if the configuration is rejected. */
async function allowedBy(folder: string, text: string): Promise<ReadonlySet<string> | undefined> {
  const path = join(folder, "x.json");
  writeFileSync(path, text);
  const parts = { cwd: folder, home: folder, anygptHome: join(folder, "state"), env: {}, path };
  try {
    const { config } = await loadConfig(parts);
    const rules = await compileRules(config.toolRules);
    const policy = createPolicy(config.policy, await compileRuling(config.policy, compileSelectors));
    const judge = (tool: Tool, actor: (typeof ACTORS)[number], pin: (typeof PINS)[number]) =>
      decideRules(rules, tool).enabled && policy.judge({ tool, pin, actor, call: CALL }).kind === "allow";
    const asked = NAMES.map(toTool).flatMap((tool) =>
      ACTORS.flatMap((actor) =>
        PINS.flatMap((pin) => (judge(tool, actor, pin) ? [`${tool.id} to ${actor.id} (${pin})`] : [])),
      ),
    );
    return new Set(asked);
  } catch (error) {
    if (error instanceof DiscoveryError && error.code === "CONFIGURATION_ERROR") return undefined;
    throw error;
  }
}

function toTool(id: string): Tool {
  const [server = "", name = ""] = id.split(":");
  // The server claims that the tool is harmless; the policy must not rely on it.
  const definition = { name, inputSchema: { type: "object" }, annotations: { readOnlyHint: true } };
  return { id, server, name, definition, hash: id, enabled: true, tags: [] };
}
