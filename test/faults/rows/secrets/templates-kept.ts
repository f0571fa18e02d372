// Every command that reads, shows, changes or exports a configuration with variables: the file keeps the variables, and
// no value is written.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { createNeedles, scanBytes, scanFiles } from "../../support/canary-scan.js";
import { withDeadline } from "../../support/deadline.js";
import { openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { createRandom } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { endingOf, plainTool, scripted } from "../../support/scripted.js";

const LAUNCH = fileURLToPath(new URL("../../support/launch.mjs", import.meta.url));
const LIMIT_MS = 60_000;

const DOCUMENT = {
  openapi: "3.0.0",
  info: { title: "Shop", version: "1" },
  servers: [{ url: "http://127.0.0.1:1" }],
  paths: { "/a": { get: { operationId: "getA", responses: { 200: { description: "" } } } } },
};

const COMMANDS: readonly (readonly string[])[] = [
  ["config", "show", "--json"],
  ["config", "show"],
  ["config", "validate", "--json"],
  ["config", "reload", "--json"],
  ["env", "--json"],
  ["list", "--json"],
  ["tools", "s", "--json"],
  ["inspect", "s", "given", "--json"],
  ["doctor", "--json"],
  ["execute", "s", "given", "--json"],
  ["registry", "export", "--file", "operations.json"],
  ["adapter", "add", "shop", "--document", "shop.json", "--auth", "bearer:CANARY_2", "--yes"],
  ["adapter", "list", "--json"],
  ["import", "--yes", "--client", "cursor"],
  ["config", "show", "--json", "--verbose"],
  ["import", "--undo", "--yes"],
  ["audit", "--export", "audit.jsonl"],
];

/** `count`: how many of the commands are run. */
export async function templatesKept({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const random = createRandom(seed);
    const word = (): string => Array.from({ length: 24 }, () => random.between(0, 36).toString(36)).join("");
    const canaries = Object.fromEntries(Array.from({ length: 4 }, (_, n) => [`CANARY_${n}`, `k${word()}`]));
    const needles = createNeedles(canaries);
    const place = prepare(home, canaries);
    const violations: string[] = [];
    const endings: Record<string, number> = {};
    for (const words of COMMANDS.slice(0, count)) {
      onProgress?.(words.join(" "));
      const { code, said } = await run(place, dist, words);
      endings[`exit ${code}`] = (endings[`exit ${code}`] ?? 0) + 1;
      violations.push(...scanBytes(said, words.join(" "), needles));
      const text = readFileSync(home.config, "utf8");
      const lost = ["CANARY_0", "CANARY_1"].filter((name) => !text.includes(`\${${name}}`));
      if (lost.length > 0) violations.push(`after ${words.join(" ")} the configuration lacks ${lost.join()}`);
    }
    const gateway = await openGateway(place, { dist });
    gateway.signal("SIGHUP");
    const outcome = await gateway.execute({ server: "s", tool: "plain", arguments: {} });
    if (outcome.kind !== "answer") violations.push(`a call ends in ${endingOf(outcome)}`);
    await gateway.close();
    violations.push(...scanFiles(home.folder, new Set([home.path(".env")]), needles));
    return {
      title: "configurations with variables",
      n: Math.min(count, COMMANDS.length) + 1,
      injected: Object.keys(canaries).length,
      violations,
      figures: { values: Object.keys(canaries).length, ...endings },
    };
  });
}

function prepare(home: FaultHome, canaries: Readonly<Record<string, string>>): FaultHome {
  const plain = { content: [{ type: "text", text: "plain" }] };
  const server = scripted(home, "s", {
    tools: [plainTool("given"), plainTool("plain")],
    results: { given: plain, plain },
  });
  home.configure({
    s: { ...server, env: { TOKEN: "${CANARY_0}", MAYBE: "${CANARY_3:-none}" } },
    away: { url: "http://127.0.0.1:1/mcp", headers: { authorization: "Bearer ${CANARY_1}" } },
  });
  const lines = Object.entries(canaries).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(home.path(".env"), lines.join(""), { mode: 0o600 });
  writeFileSync(home.path("shop.json"), JSON.stringify(DOCUMENT));
  const cursor = home.path(".cursor/mcp.json");
  mkdirSync(dirname(cursor), { recursive: true });
  writeFileSync(cursor, JSON.stringify({ mcpServers: { theirs: { ...server, env: { TOKEN: "${env:CANARY_2}" } } } }));
  return home;
}

async function run(
  home: FaultHome,
  dist: string,
  words: readonly string[],
): Promise<{ code: number | null; said: Buffer }> {
  const child = spawn(process.execPath, [LAUNCH, dist, "anygpt", "mcp", ...words, "--config", home.config], {
    env: home.env,
    cwd: home.folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  home.own(child);
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const code = await withDeadline(ended, LIMIT_MS, words.join(" "));
  return { code, said: Buffer.concat(chunks) };
}
