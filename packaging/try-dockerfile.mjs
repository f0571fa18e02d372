// Runs the steps of the Dockerfile as plain processes, for machines without a container engine: each stage is a folder that
// represents its root, COPY copies files, RUN runs commands there. At the end it starts the entry point like the image and runs
// the image's health check. It cannot test another user, another operating system or resource limits.
//   node packaging/try-dockerfile.mjs [--keep]
import { execFile, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const HERE = dirname(fileURLToPath(import.meta.url));
const PROJECT = dirname(HERE);
const run = promisify(execFile);

/** Instructions in their order, continued lines joined: `{ name, flags, words, text }`. */
export function parseDockerfile(source) {
  const lines = source
    .split("\n")
    .filter((line) => !/^\s*#/.test(line))
    .join("\n")
    .replace(/\\\n\s*/g, "")
    .split("\n");
  return lines
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const [, name, rest] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
      if (name === undefined) throw new Error(`Unknown Dockerfile line: ${line}`);
      const flags = {};
      let text = rest;
      for (let found; (found = /^--([\w-]+)=(\S+)\s+/.exec(text)); text = text.slice(found[0].length)) {
        flags[found[1]] = found[2];
      }
      return { name, flags, text, words: toWords(text.replace(/^CMD\s+(?=\[)/, "")) };
    });
}

/** `["a", "b"]` or `a b`. */
function toWords(text) {
  return text.startsWith("[") ? JSON.parse(text) : text.split(/\s+/);
}

/** The files of the build context after .dockerignore. */
export async function toIgnore(file) {
  const patterns = (await readFile(file, "utf8")).split("\n").filter(Boolean);
  return (path) =>
    patterns.some((pattern) => {
      const top = path.split("/").slice(0, pattern.split("/").length).join("/");
      return top === pattern || globMatches(top, pattern);
    });
}

function globMatches(path, pattern) {
  const source = pattern.replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`).replaceAll("*", "[^/]*");
  return new RegExp(`^${source}$`).test(path);
}

class Stage {
  env = {};
  workdir = "/";
  user = "root";
  volumes = [];

  constructor(root) {
    this.root = root;
  }

  /** The local path of a path in the image. */
  at(path) {
    return join(this.root, resolve("/", this.workdir, path));
  }

  /** Replaces paths of image folders with their local folders. */
  translated(text) {
    return text.replace(
      /(?<![\w./:-])\/(?:src|opt\/anygpt|var\/lib\/anygpt)(?=[/\s:"']|$)/g,
      (path) => this.root + path,
    );
  }

  environment(bin) {
    const set = Object.fromEntries(Object.entries(this.env).map(([name, value]) => [name, this.translated(value)]));
    const path = `${bin}:${process.env.PATH}`;
    return { HOME: this.root, ...set, PATH: (set.PATH ?? "$PATH").replace("$PATH", path) };
  }
}

async function main() {
  const folder = await mkdtemp(join(tmpdir(), "anygpt-image-"));
  const isKept = process.argv.includes("--keep");
  try {
    await tryOut(folder);
  } finally {
    if (isKept) say(`The result is in ${folder}.`);
    else await rm(folder, { recursive: true, force: true });
  }
}

async function tryOut(folder) {
  const instructions = parseDockerfile(await readFile(join(HERE, "Dockerfile"), "utf8"));
  const isIgnored = await toIgnore(join(HERE, "Dockerfile.dockerignore"));
  const stages = new Map();
  // chown is skipped: it needs root, and the user of the image does not exist here.
  const bin = join(folder, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "chown"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  let stage;
  const facts = {};
  for (const instruction of instructions) {
    const { name, flags, text, words } = instruction;
    say(`${name} ${text.length > 100 ? `${text.slice(0, 100)}…` : text}`);
    if (name === "FROM") {
      const [image, , alias = String(stages.size)] = words;
      if (!/:\d/.test(image)) throw new Error(`${image} is not pinned to a version.`);
      stage = new Stage(join(folder, alias));
      await mkdir(stage.root);
      stages.set(alias, stage);
    } else if (name === "WORKDIR") {
      stage.workdir = text;
      await mkdir(stage.at("."), { recursive: true });
    } else if (name === "ENV") {
      stage.env[text.slice(0, text.indexOf("="))] = text.slice(text.indexOf("=") + 1);
    } else if (name === "COPY") {
      await copy({ stage, from: stages.get(flags.from), words, isIgnored });
    } else if (name === "RUN") {
      await runStep(stage, text, bin);
    } else if (name === "USER") stage.user = text;
    else if (name === "VOLUME") stage.volumes.push(text);
    else facts[name] = instruction;
  }
  if (stage.user === "root") throw new Error("The image runs as root.");
  await start(stage, facts, bin);
  say(`The image would hold ${await sizeOf(stage.root)} MiB in addition to its base image.`);
}

async function copy({ stage, from, words, isIgnored }) {
  const to = stage.at(words.at(-1));
  const isFolder = words.at(-1).endsWith("/") || words.at(-1) === ".";
  for (const word of words.slice(0, -1)) {
    const source = from === undefined ? resolve(PROJECT, word) : from.at(word);
    const target = isFolder && word !== "." ? join(to, basename(word)) : to;
    const filter = (path) => from !== undefined || path === PROJECT || !isIgnored(relative(PROJECT, path));
    await mkdir(dirname(target), { recursive: true });
    await cp(source, target, { recursive: true, filter });
  }
}

async function runStep(stage, text, bin) {
  const options = { cwd: stage.at("."), env: stage.environment(bin), maxBuffer: 64 * 1024 * 1024 };
  try {
    await run("sh", ["-c", stage.translated(text)], options);
  } catch (error) {
    throw new Error(`The step failed:\n${error.stdout}\n${error.stderr}`, { cause: error });
  }
}

/** Starts the entry point like the image, but with a free port and one configured caller, which the gateway requires. */
async function start(stage, { ENTRYPOINT, CMD, HEALTHCHECK, EXPOSE }, bin) {
  const port = EXPOSE.text;
  const token = `agt_${randomBytes(32).toString("base64url")}`;
  const hash = `sha256:${createHash("sha256").update(token).digest("hex")}`;
  const config = join(stage.at(stage.volumes[0]), "mcp-discovery.config.json");
  const argv = [...ENTRYPOINT.words, ...CMD.words].map((word) => stage.translated(word));
  const refused = await startOnce(stage, argv, bin);
  const code = await Promise.race([refused.exited, setTimeout(20_000, "none")]);
  if (code === 0 || code === "none") throw new Error("The gateway started without configured callers.");
  say("Without configured callers, the gateway refuses to start, as required.");
  await writeFile(config, JSON.stringify({ http: { tokens: [{ name: "try", hash, scopes: ["*"] }] } }));
  const started = await startOnce(stage, [...argv, "--port", "0"], bin);
  try {
    const url = await started.url;
    const check = HEALTHCHECK.words.map((word) => word.replaceAll(`127.0.0.1:${port}`, new URL(url).host));
    await run(check[0], check.slice(1), { env: stage.environment(bin) });
    say("The health check succeeds.");
    const answer = await fetch(`${url}/api/adapters`, { headers: { authorization: `Bearer ${token}` } });
    if (answer.status !== 200) throw new Error(`A configured caller gets status ${answer.status}.`);
    say("A configured caller gets an answer.");
  } finally {
    started.child.kill("SIGTERM");
  }
  const ended = await started.exited;
  if (ended !== 0) throw new Error(`The gateway exited with ${ended} on SIGTERM.\n${started.said()}`);
  say("The gateway exits with code 0 on SIGTERM.");
}

async function startOnce(stage, [command, ...args], bin) {
  const child = spawn(command, args, {
    cwd: stage.at("."),
    env: stage.environment(bin),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  const exited = once(child, "exit").then(([code]) => code);
  const url = new Promise((found, reject) => {
    child.stderr.on("data", (chunk) => {
      said += chunk;
      const port = /Serving on http:\/\/[^:]+:(\d+)/.exec(said)?.[1];
      if (port !== undefined) found(`http://127.0.0.1:${port}`);
    });
    exited.then((code) => reject(new Error(`The gateway exited with ${code}:\n${said}`)), reject);
  });
  url.catch(() => undefined);
  return { child, exited, url, said: () => said };
}

async function sizeOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const { stdout } = await run("du", ["-sm", folder]);
  return entries.length === 0 ? 0 : Number(stdout.split("\t")[0]);
}

function say(text) {
  process.stdout.write(`${text}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
