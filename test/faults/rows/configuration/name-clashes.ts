// Names that are equal or look equal: the gateway rejects them, or keeps both and reports both positions. One never
// replaces the other silently.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../../../src/config/load.js";
import { DiscoveryError } from "../../../../src/errors.js";
import { toAliases } from "../../../../src/metatools/full-mode-alias.js";
import { openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { endingOf, givenOf, listServers, plainTool, scripted } from "../../support/scripted.js";

/** Files that set one key twice, the second time with a weaker value. */
const TWICE: readonly (readonly [string, string])[] = [
  ["x.json", '{"servers": {"a": {"command": "x"}, "a": {"command": "y"}}}'],
  ["x.json", '{"servers": {"a": {"command": "x", "command": "y"}}}'],
  ["x.json", '{"servers": {"a": {"command": "x", "env": {"A": "1", "A": "2"}}}}'],
  ["x.json", '{"servers": {"a": {"command": "x"}}, "servers": {"b": {"command": "y"}}}'],
  ["x.json", '{"toolRules": [{"pattern": "*", "enabled": false, "enabled": true}]}'],
  ["x.json", '{"toolRules": [{"pattern": "*", "enabled": false}], "toolRules": []}'],
  ["x.json", '{"policy": {"preset": "strict", "preset": "default"}}'],
  ["x.json", '{"policy": {"preset": "strict"}, "policy": {}}'],
  ["x.json", '{"policy": {"preset": "strict"}, "\\u0070olicy": {}}'],
  ["x.json", '{"policy": {"confirmation": {"mode": "human", "mode": "never"}}}'],
  ["x.json", '{"http": {"port": 1, "port": 2}}'],
  ["x.json", '{"discovery": {"policy": {"preset": "strict"}, "policy": {}}}'],
  ["x.yaml", "policy: {preset: strict}\npolicy: {}\n"],
  ["x.yaml", "servers:\n  a: {command: x}\n  a: {command: y}\n"],
  ["x.yaml", 'policy: {preset: strict, "preset": default}\n'],
  ["x.yaml", 'policy: {preset: strict}\n"policy": {}\n'],
  ["x.yaml", "base: &b {preset: default}\npolicy:\n  preset: strict\n  <<: *b\n"],
];

/** Two names of servers in one configuration. */
const SERVERS: readonly (readonly [string, string])[] = [
  ["A", "a"],
  ["Sales Force", "sales force"],
  ["Sales Force", "Sales_Force"],
  ["Sales.Force", "Sales-Force"],
  ["ＧitHub", "GitHub"],
  ["straße", "STRASSE"],
  ["acme_", "acme"],
  ["acme__x", "acme"],
  ["search_tools", "execute_tool"],
  ["gateway", "discovery"],
  ["n".repeat(64), `${"n".repeat(63)}m`],
];

/** Two tools of two servers whose joined names are equal. */
const TOGETHER: readonly (readonly [readonly [string, string], readonly [string, string]])[] = [
  [
    ["acme_", "status"],
    ["acme", "_status"],
  ],
  [
    ["acme", "_status"],
    ["acme_", "status"],
  ],
  [
    ["acme__a", "b"],
    ["acme", "a__b"],
  ],
  [
    ["a", "b__c"],
    ["a__b", "c"],
  ],
  [
    ["a-b", "c"],
    ["a b", "c"],
  ],
  [
    ["a", "b c"],
    ["a", "b-c"],
  ],
  [
    ["a", "é"],
    ["a", "e\u0301"],
  ],
  [
    ["a", "x".repeat(100)],
    ["a", `${"x".repeat(99)}y`],
  ],
  [
    ["a", "tool"],
    ["a", "Tool"],
  ],
  [
    ["a", "x/y"],
    ["a", "x.y"],
  ],
  [
    ["a", "😀"],
    ["a", "😃"],
  ],
  [
    ["search", "tools"],
    ["search_", "tools"],
  ],
];

/** `count`: the highest number of cases of each kind. */
export async function nameClashes({ count, dist }: RowOptions): Promise<RowResult> {
  const violations = [
    ...(await findAccepted(TWICE.slice(0, count))),
    ...TOGETHER.slice(0, count).flatMap(findShadowed),
    ...(await inHome((home) => callBoth(home, dist, SERVERS.slice(0, count)))),
  ];
  const n = [TWICE, TOGETHER, SERVERS].reduce((sum, cases) => sum + Math.min(cases.length, count), 0);
  return { title: "duplicate names", n, injected: n, violations, figures: { "kinds of duplicates": 3 } };
}

async function findAccepted(cases: typeof TWICE): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "anygpt-clashes-"));
  const accepted: string[] = [];
  for (const [name, text] of cases) {
    const path = join(folder, name);
    writeFileSync(path, text);
    const parts = { cwd: folder, home: folder, anygptHome: join(folder, "state"), env: {}, path };
    const error = await loadConfig(parts).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    const isReported = error instanceof DiscoveryError && /twice|merge keys/.test(error.message);
    if (!isReported) accepted.push(`${text} gives ${error instanceof Error ? error.message : "a configuration"}`);
  }
  rmSync(folder, { recursive: true });
  return accepted;
}

function findShadowed([one, other]: (typeof TOGETHER)[number]): string[] {
  const tools = [one, other].map(([server, name]) => ({ server, name }));
  const aliases = [...toAliases(tools, false)];
  const isBoth = tools.every((tool) => aliases.filter(([, found]) => found === tool).length === 1);
  return isBoth && aliases.length === 2
    ? []
    : [`${one.join(" ")} and ${other.join(" ")} are ${aliases.map(([name]) => name).join()}`];
}

/** A configuration per pair would need as many gateways: here all compatible pairs share one. */
async function callBoth(home: FaultHome, dist: string, pairs: typeof SERVERS): Promise<string[]> {
  const names = [...new Set(pairs.flat())];
  const servers = names.map((name, n) => ({
    name,
    ...scripted(home, `s${n}`, { tools: [plainTool("who")], words: [String(n)] }),
  }));
  writeFileSync(home.config, JSON.stringify({ servers }));
  const gateway = await openGateway(home, { dist });
  const listed = await listServers(gateway);
  const answers = await Promise.all(
    listed.map(async ({ name }) => {
      const outcome = await gateway.execute({ server: name, tool: "who", arguments: {} });
      return givenOf(outcome)?.words[0] ?? `${name}: ${endingOf(outcome)}`;
    }),
  );
  await gateway.close();
  const missing = names.filter((_, n) => !answers.includes(String(n)));
  return missing.map((name) => `the server "${name}" has no callable name: ${answers.join()}`);
}
