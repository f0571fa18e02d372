// Cold runs: an empty HOME, an empty npm cache and five packages of the real registry. `list` and `search` run to their end
// and must succeed; the other kinds end at a random moment while npx installs the packages. After every run, plain npx must
// start each package. Every second run of a command uses `--no-daemon`.
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
/** The kinds of cold runs: program, arguments, and whether the run ends on its own or is interrupted at a random moment. */
const KINDS = {
  list: { words: ["list"], isWhole: true },
  search: { words: ["search", "read a text file"], isWhole: true },
  "list, Ctrl-C": { words: ["list"] },
  "search, Ctrl-C": { words: ["search", "read a text file"] },
  "doctor, Ctrl-C": { words: ["doctor"] },
  stdio: { isServed: true },
  reload: { isServed: true, isReloaded: true },
};
const INITIALIZE = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "cold", version: "1" } },
})}\n`;
const FINISH_MS = 600_000;
const ANSWER_MS = 120_000;

const HELP = `Usage: npm run bench:cold -- [options]

  --runs N       cold runs of each kind (default 20)
  --kinds LIST   kinds of runs, separated by semicolons: ${Object.keys(KINDS).join("; ")}
  --max-wait MS  latest random moment at which a run is interrupted, in milliseconds (default 20000)
  --out FILE     write the report to this file as JSON
`;

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "20" },
    kinds: { type: "string", default: Object.keys(KINDS).join(";") },
    "max-wait": { type: "string", default: "20000" },
    out: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}

const kinds = values.kinds.split(";").map((kind) => kind.trim());
const unknown = kinds.filter((kind) => !(kind in KINDS));
if (unknown.length > 0) throw new Error(`Unknown kinds: ${unknown.join("; ")}.`);
const runs = [];
for (let number = 1; number <= Number(values.runs); number += 1) {
  for (const kind of kinds) {
    const run = await coldRun(kind, number);
    runs.push(run);
    const broken = run.packages.filter(({ works }) => !works).map(({ name }) => name);
    const parts = [
      `${kind} ${number}: ended after ${run.endedAfterMs} ms, installed after ${run.installedAfterMs} ms`,
      broken.length === 0 ? "npx starts all" : `broken: ${broken.join(", ")}`,
      ...(run.survivors === 0 ? [] : [`${run.survivors} processes left`]),
      ...(run.succeeded === undefined ? [] : [run.succeeded ? "succeeded" : `FAILED: ${run.output}`]),
    ];
    process.stderr.write(`${parts.join(", ")}\n`);
    report();
  }
}
const rows = report();
process.stdout.write("kind              cold runs  npx broken afterwards  command failed  median end\n");
for (const { kind, runs: count, broken, failed, medianEndMs } of rows)
  process.stdout.write(
    `${kind.padEnd(18)}${String(count).padStart(9)}${String(broken).padStart(23)}${String(failed ?? "-").padStart(16)}${`${medianEndMs} ms`.padStart(12)}\n`,
  );
process.exitCode = rows.some(({ broken, failed }) => broken > 0 || (failed ?? 0) > 0) ? 1 : 0;

/** Writes the results so far, so that an interrupted series loses nothing. */
function report() {
  const rows = kinds.map((kind) => {
    const own = runs.filter((run) => run.kind === kind);
    const broken = own.filter(({ packages, survivors }) => survivors > 0 || packages.some(({ works }) => !works));
    const failed = KINDS[kind].isWhole ? own.filter(({ succeeded }) => !succeeded).length : undefined;
    const ends = own.map(({ endedAfterMs }) => endedAfterMs).sort((a, b) => a - b);
    return { kind, runs: own.length, broken: broken.length, failed, medianEndMs: ends[Math.floor(ends.length / 2)] };
  });
  if (values.out !== undefined) {
    mkdirSync(dirname(resolve(values.out)), { recursive: true });
    writeFileSync(values.out, `${JSON.stringify({ packages: Object.values(PACKAGES), rows, runs }, null, 2)}\n`);
  }
  return rows;
}

async function coldRun(kind, number) {
  const folder = mkdtempSync(join(tmpdir(), "anygpt-cold-"));
  const env = { PATH: process.env.PATH, HOME: folder, ANYGPT_HOME: join(folder, "state"), ...registrySettings() };
  try {
    const config = join(folder, "config.json");
    writeConfig(config, folder, Object.keys(PACKAGES));
    const began = performance.now();
    const end = KINDS[kind].isServed
      ? await serve(kind, { config, env, folder })
      : await runCommand(kind, { config, env, folder, hasDaemon: number % 2 === 0 });
    await run(["daemon", "stop", "--all"], { env, folder }).exit;
    const survivors = await installationsEnd(folder);
    const installedAfterMs = Math.round(performance.now() - began);
    const packages = await Promise.all(
      Object.entries(PACKAGES).map(async ([name, spec]) => ({ name, ...(await tryNpx(name, spec, folder, env)) })),
    );
    return { kind, ...end, installedAfterMs, survivors, packages };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** An npm configuration with the package registry of this machine and nothing else. */
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

function run(words, { env, folder }, program = "bin/anygpt.js") {
  const argv = program === "bin/anygpt.js" ? ["mcp", ...words] : words;
  const child = spawn(process.execPath, [join(ROOT, program), ...argv], { env, cwd: folder });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].on("data", (chunk) => (said[name] += chunk));
  child.stdin.on("error", () => undefined);
  const exit = new Promise((done) => child.once("close", (code, signal) => done(signal ?? code)));
  return { child, said, exit, began: performance.now() };
}

/** Runs one command with an empty home and cache until it ends, or until Ctrl-C at a random moment. */
async function runCommand(kind, { config, env, folder, hasDaemon }) {
  const { words, isWhole } = KINDS[kind];
  const daemon = hasDaemon ? [] : ["--no-daemon"];
  const { child, said, exit, began } = run([...words, "--config", config, ...daemon], { env, folder });
  if (!isWhole) {
    await Promise.race([exit, pause(Math.random() * Number(values["max-wait"]))]);
    child.kill("SIGINT");
  }
  const code = await exit;
  const endedAfterMs = Math.round(performance.now() - began);
  if (!isWhole) return { hasDaemon, endedAfterMs };
  const succeeded = code === 0 && isAnswered(words[0], said.stdout);
  return {
    hasDaemon,
    endedAfterMs,
    succeeded,
    ...(succeeded ? {} : { output: `${code} ${said.stdout}${said.stderr}` }),
  };
}

/** Whether `list` shows all servers with tools, or `search` names the tool of the filesystem server. */
function isAnswered(command, stdout) {
  if (command === "search") return stdout.includes("filesystem:read_text_file");
  return Object.keys(PACKAGES).every((name) => new RegExp(`${name}\\b.*\\bready\\b`).test(stdout));
}

/** A stdio session that ends at a random moment, or first reloads a configuration without its servers. */
async function serve(kind, { config, env, folder }) {
  const { child, exit, began } = run(["--config", config], { env, folder }, "bin/discovery.js");
  child.stdin.write(INITIALIZE);
  await Promise.race([exit, pause(Math.random() * Number(values["max-wait"]))]);
  const endedAfterMs = Math.round(performance.now() - began);
  if (KINDS[kind].isReloaded) {
    writeConfig(config, folder, []);
    child.kill("SIGHUP");
    await installationsEnd(folder);
  }
  child.stdin.end();
  await exit;
  return { endedAfterMs };
}

/** Waits for all processes with this home folder. Returns how many are still alive after the maximum installation time. */
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
function tryNpx(name, spec, folder, env) {
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
      if (!said.includes('"serverInfo"')) return;
      child.stdin.end();
      child.kill("SIGTERM");
    });
    child.stdin.on("error", () => undefined);
    child.once("close", () => {
      clearTimeout(limit);
      const works = said.includes('"serverInfo"');
      done(works ? { works } : { works, stderr: complained });
    });
    child.stdin.write(INITIALIZE);
  });
}

function pause(ms) {
  return new Promise((done) => setTimeout(done, ms));
}
