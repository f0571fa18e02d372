// Counts the files and functions of src/ that run between one warm `execute_tool` over stdio and its answer.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createHome } from "../support/home.mjs";
import { ECHO, ROOT } from "../support/places.mjs";
import { createSourceIndex } from "./source-index.mjs";

const WARM_CALLS = 200;
const MEASURED_CALLS = 5;
/** Time to wait for work that a call causes after its answer. Work of timers is excluded later, because it does not occur in every measured call. */
const SETTLE_MS = 100;
const DEADLINE_MS = 10_000;

const HELP = `Usage: npm run bench:path -- [options]

Builds the gateway with source maps, calls a warm tool over stdio, and prints how many files and functions of src/ ran.

  --json   print one JSON object with every file and function
  --list   print every file with its functions
  --help   print this help`;

const flag = { type: "boolean", default: false };
const options = parseArgs({ options: { json: flag, list: flag, help: flag } }).values;

if (options.help) console.log(HELP);
else print(await measure());

async function measure() {
  const build = `dist-path-${process.pid}`;
  const folder = mkdtempSync(join(tmpdir(), "bench-path-"));
  try {
    execFileSync(process.execPath, ["scripts/build.mjs", "--out", build], { cwd: ROOT });
    const program = join(ROOT, build, "discovery.cjs");
    writeFileSync(program, 'require("./main.cjs").runDiscovery();\n');
    return toPath(await recordCalls(folder, program), createSourceIndex(join(ROOT, build)));
  } finally {
    rmSync(join(ROOT, build), { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The functions of each measured call, by thread. */
async function recordCalls(folder, program) {
  const out = join(folder, "coverage");
  mkdirSync(out);
  const { config, env } = createHome(folder, { servers: { echo: { command: process.execPath, args: [ECHO] } } });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ["--require", join(ROOT, "bench/path/record.cjs"), program, "--config", config],
    env: { ...env, BENCH_PATH_OUT: out },
    stderr: "inherit",
  });
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(transport);
  const call = async () => {
    const params = { name: "execute_tool", arguments: { server: "echo", tool: "echo", arguments: { text: "hello" } } };
    const { content, isError } = await client.callTool(params);
    if (isError === true || content[0].text !== "hello") throw new Error(`The tool answered ${content[0].text}.`);
  };
  try {
    for (let done = 0; done < WARM_CALLS; done += 1) await call();
    await take(out, 1, transport.pid);
    const recorded = [];
    for (let done = 0; done < MEASURED_CALLS; done += 1) {
      await call();
      await delay(SETTLE_MS);
      recorded.push(await take(out, done + 2, transport.pid));
    }
    return recorded;
  } finally {
    await client.close();
  }
}

/** Sends the signal to the gateway and reads the coverage files of its threads. A worker thread writes its file slightly later than the main thread. */
async function take(out, number, pid) {
  process.kill(pid, "SIGUSR2");
  const until = performance.now() + DEADLINE_MS;
  while (!existsSync(join(out, `${number}-main.json`))) {
    if (performance.now() > until) throw new Error(`The gateway wrote no coverage within ${DEADLINE_MS / 1000} s.`);
    await delay(10);
  }
  await delay(SETTLE_MS);
  return readdirSync(out)
    .filter((name) => name.startsWith(`${number}-`))
    .map((name) => ({ thread: name.slice(`${number}-`.length, -".json".length), scripts: readJson(join(out, name)) }));
}

/** Only functions that ran in every measured call count, so that timers and background work stay out. */
function toPath(recorded, sources) {
  const calls = recorded.map((threads) => functionsOf(threads, sources));
  const [first, ...others] = calls;
  const every = [...first.entries()].filter(([key]) => others.every((call) => call.has(key)));
  const found = every.map(([, value]) => value);
  const own = found.filter(({ file }) => file.startsWith("src/"));
  return {
    node: process.version,
    calls: MEASURED_CALLS,
    main: countOf(own.filter(({ thread }) => thread === "main")),
    workers: countOf(own.filter(({ thread }) => thread !== "main")),
    all: countOf(own),
    dependencies: countOf(found.filter(({ file }) => file.startsWith("node_modules/"))),
    files: toFiles(own),
  };
}

function functionsOf(threads, sources) {
  const found = new Map();
  for (const { thread, scripts } of threads) {
    for (const { url, functions } of scripts) {
      for (const { functionName, ranges } of functions) {
        const place = sources.find(url, ranges[0].startOffset);
        if (place === undefined) continue;
        const kind = thread === "main" ? "main" : "worker";
        const { file, line, column } = place;
        found.set(`${kind} ${file}:${line}:${column} ${functionName}`, { thread: kind, name: functionName, ...place });
      }
    }
  }
  return found;
}

function countOf(found) {
  const places = new Set(found.map(({ file, line, column, name }) => `${file}:${line}:${column} ${name}`));
  return { files: new Set(found.map(({ file }) => file)).size, functions: places.size };
}

function toFiles(found) {
  const files = Map.groupBy === undefined ? groupByFile(found) : Map.groupBy(found, ({ file }) => file);
  return [...files.entries()]
    .map(([file, functions]) => ({
      file,
      threads: [...new Set(functions.map(({ thread }) => thread))].sort(),
      functions: functions.map(({ name, line }) => `${name === "" ? "(anonymous)" : name}:${line}`),
    }))
    .sort((one, other) => (one.file < other.file ? -1 : 1));
}

function groupByFile(found) {
  const files = new Map();
  for (const one of found) files.set(one.file, [...(files.get(one.file) ?? []), one]);
  return files;
}

function print(path) {
  if (options.json) {
    console.log(JSON.stringify(path, null, 2));
    return;
  }
  const line = (what, { files, functions }) =>
    console.log(`${what.padEnd(28)}${String(files).padStart(5)} files  ${String(functions).padStart(5)} functions`);
  console.log(`One warm execute_tool over stdio, Node ${path.node}; code that ran in each of ${path.calls} calls:`);
  line("src/, main thread", path.main);
  line("src/, worker threads", path.workers);
  line("src/, all threads", path.all);
  line("dependencies, all threads", path.dependencies);
  if (!options.list) return;
  for (const { file, threads, functions } of path.files) {
    console.log(`${file} (${threads.join(", ")}): ${functions.join(" ")}`);
  }
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
