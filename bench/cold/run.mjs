// Cold runs: with an empty npm cache and five packages of the real registry, a command or session ends at a random moment
// while npx installs them. Afterwards plain npx has to start every one of them.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PACKAGES = {
  everything: "@modelcontextprotocol/server-everything",
  filesystem: "@modelcontextprotocol/server-filesystem",
  memory: "@modelcontextprotocol/server-memory",
  thinking: "@modelcontextprotocol/server-sequential-thinking",
  context7: "@upstash/context7-mcp",
};
const KINDS = ["list", "search", "doctor", "stdio", "reload"];
const FINISH_MS = 600_000;
const ANSWER_MS = 120_000;

const HELP = `Usage: npm run bench:cold -- [options]

  --runs N       cold runs of each kind (default 20)
  --kinds LIST   of: ${KINDS.join(", ")}
  --longest MS   latest moment of the end (default 20000)
  --out FILE     write the report as JSON
`;

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "20" },
    kinds: { type: "string", default: KINDS.join(",") },
    longest: { type: "string", default: "20000" },
    out: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}

const runs = [];
for (const kind of values.kinds.split(",")) {
  for (let number = 1; number <= Number(values.runs); number += 1) {
    const run = await coldRun(kind);
    runs.push(run);
    const failed = run.packages.filter(({ works }) => !works).map(({ name }) => name);
    process.stderr.write(
      `${kind} ${number}: ended after ${run.endedAfterMs} ms, installed after ${run.installedAfterMs} ms, ${failed.length === 0 ? "all work" : `broken: ${failed.join(", ")}`}\n`,
    );
  }
}

const rows = values.kinds.split(",").map((kind) => {
  const own = runs.filter((run) => run.kind === kind);
  const broken = own.filter(({ packages, survivors }) => survivors > 0 || packages.some(({ works }) => !works));
  return { kind, runs: own.length, broken: broken.length };
});
process.stdout.write("kind    cold runs  broken afterwards\n");
for (const { kind, runs: count, broken } of rows)
  process.stdout.write(`${kind.padEnd(8)}${String(count).padStart(9)}${String(broken).padStart(19)}\n`);
if (values.out !== undefined) {
  mkdirSync(dirname(resolve(values.out)), { recursive: true });
  writeFileSync(values.out, `${JSON.stringify({ packages: Object.values(PACKAGES), rows, runs }, null, 2)}\n`);
}
process.exitCode = rows.some(({ broken }) => broken > 0) ? 1 : 0;

async function coldRun(kind) {
  const folder = mkdtempSync(join(tmpdir(), "anygpt-cold-"));
  try {
    const env = { PATH: process.env.PATH, HOME: folder, ANYGPT_HOME: join(folder, "state"), ...registrySettings() };
    const config = join(folder, "config.json");
    writeConfig(config, folder, Object.keys(PACKAGES));
    const began = performance.now();
    const endedAfterMs = await endAtRandom(kind, config, env, folder);
    const survivors = await installationsEnd(folder);
    const installedAfterMs = Math.round(performance.now() - began);
    const packages = [];
    for (const [name, spec] of Object.entries(PACKAGES)) packages.push({ name, ...(await tryNpx(spec, folder, env)) });
    return { kind, endedAfterMs, installedAfterMs, survivors, packages };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The registry of this machine; everything else of npm is as new. */
function registrySettings() {
  const names = ["npm_config_registry", "npm_config_cafile", "NODE_EXTRA_CA_CERTS"];
  return Object.fromEntries(names.filter((name) => process.env[name]).map((name) => [name, process.env[name]]));
}

function writeConfig(file, folder, names) {
  const cache = { npm_config_cache: join(folder, "npm-cache"), ...registrySettings() };
  const server = (name) => ({ command: "npx", args: ["-y", PACKAGES[name], ...argumentsOf(name, folder)], env: cache });
  writeFileSync(file, JSON.stringify({ servers: Object.fromEntries(names.map((name) => [name, server(name)])) }));
}

function argumentsOf(name, folder) {
  return name === "filesystem" ? [folder] : [];
}

async function endAtRandom(kind, config, env, folder) {
  const isServed = kind === "stdio" || kind === "reload";
  const [program, ...args] = isServed
    ? ["bin/discovery.js"]
    : ["bin/anygpt.js", "mcp", ...(kind === "search" ? ["search", "read a file"] : [kind])];
  const began = performance.now();
  const child = spawn(process.execPath, [join(ROOT, program), ...args, "--config", config], { env, cwd: folder });
  for (const stream of [child.stdout, child.stderr]) stream.resume();
  child.stdin.on("error", () => undefined);
  const exit = new Promise((done) => child.once("exit", done));
  if (isServed) {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "cold", version: "1" } };
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params })}\n`);
  }
  await Promise.race([exit, pause(Math.random() * Number(values.longest))]);
  const endedAfterMs = Math.round(performance.now() - began);
  if (kind === "reload") {
    writeConfig(config, folder, []);
    child.kill("SIGHUP");
    await installationsEnd(folder);
  }
  if (isServed) child.stdin.end();
  else child.kill("SIGINT");
  await exit;
  return endedAfterMs;
}

/** Waits for all processes with this home; gives how many live on after the longest installation. */
async function installationsEnd(folder) {
  const deadline = Date.now() + FINISH_MS;
  while (livingIn(folder).length > 0 && Date.now() < deadline) await pause(250);
  return livingIn(folder).length;
}

/** Installers and servers: the gateway and its reaper have no npm cache in their environment. */
function livingIn(folder) {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "utf8").includes(`npm_config_cache=${join(folder, "npm-cache")}`);
      } catch {
        return false;
      }
    });
}

/** Whether plain npx starts the server and it answers `initialize`. */
function tryNpx(spec, folder, env) {
  const name = Object.keys(PACKAGES).find((key) => PACKAGES[key] === spec);
  return new Promise((done) => {
    const child = spawn("npx", ["-y", spec, ...argumentsOf(name, folder)], {
      env: { ...env, npm_config_cache: join(folder, "npm-cache") },
      cwd: folder,
    });
    let [said, complained] = ["", ""];
    const limit = setTimeout(() => child.kill("SIGKILL"), ANSWER_MS);
    child.stderr.on("data", (chunk) => (complained = (complained + chunk).slice(-2000)));
    child.stdout.on("data", (chunk) => {
      said += chunk;
      if (said.includes('"serverInfo"')) child.stdin.end();
      if (said.includes('"serverInfo"')) setTimeout(() => child.kill("SIGTERM"), 2000).unref();
    });
    child.stdin.on("error", () => undefined);
    child.once("close", () => {
      clearTimeout(limit);
      const works = said.includes('"serverInfo"');
      done(works ? { works } : { works, stderr: complained });
    });
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "cold", version: "1" } };
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params })}\n`);
  });
}

function pause(ms) {
  return new Promise((done) => setTimeout(done, ms));
}
