// Starts and ends the programs of a run: the test server, the gateway, and the proxy in front of it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startTokenProxy } from "./token-proxy.mjs";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SERVER = join(ROOT, "conformance/server.mjs");
const LAUNCH = join(ROOT, "test/faults/support/launch.mjs");
const START_MS = 60_000;

/** The command that starts a program of a build. */
export const launch = (dist, program, ...words) => [process.execPath, LAUNCH, join(ROOT, dist), program, ...words];

export function testServerCommand(era) {
  return { command: process.execPath, args: [SERVER, "stdio", era] };
}

/** Kills all child processes when the run ends, also after an error. */
const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));

function start([command, ...args], options) {
  const child = spawn(command, args, options);
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

export async function startTestServer(era) {
  const child = start([process.execPath, SERVER, "http", era], { stdio: ["ignore", "pipe", "inherit"] });
  const [, port] = await line(child, child.stdout, /^(\d+)\s/);
  return { url: `http://127.0.0.1:${port}/mcp`, stop: () => end(child) };
}

/** The gateway with one server in full mode over HTTP, and a proxy that adds its token. */
export async function startGateway(server, { dist, verbose }) {
  const home = createHome();
  const proxy = await startTokenProxy();
  const config = {
    mode: "full",
    servers: { conformance: server },
    http: { port: 0, origins: [new URL(proxy.url).origin] },
  };
  const words = launch(dist, "anygpt", "mcp", "serve", "--http", "--config", home.write(config));
  const child = start(words, { cwd: home.folder, env: home.env, stdio: ["ignore", "ignore", "pipe"] });
  const [, url] = await line(child, child.stderr, /MCP at (http:\S+?)\.\s/, verbose);
  proxy.forwardTo(new URL(url).origin, readFileSync(join(home.state, "http.token"), "utf8").trim());
  const stop = async () => {
    await proxy.close();
    await end(child);
    home.remove();
  };
  return { url: `${proxy.url}/mcp`, stop };
}

/** A separate home folder for each gateway, so that the user's files are neither read nor written. */
export function createHome() {
  const folder = mkdtempSync(join(tmpdir(), "anygpt-conformance-"));
  const state = join(folder, "state");
  const file = join(folder, "config.json");
  return {
    folder,
    state,
    env: { PATH: process.env.PATH ?? "", HOME: folder, ANYGPT_HOME: state, ANYGPT_DAEMON: "0" },
    write(config) {
      writeFileSync(file, JSON.stringify(config));
      return file;
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** Resolves with the first line that matches. Further lines are read, and printed with --verbose. */
function line(child, stream, pattern, verbose = false) {
  return new Promise((resolve, reject) => {
    const said = [];
    const fail = (why) => reject(new Error(`${why}\n${said.join("\n")}`));
    const timer = setTimeout(() => fail("The program did not start in time."), START_MS);
    createInterface({ input: stream }).on("line", (text) => {
      said.push(text);
      if (verbose) console.error(text);
      const found = pattern.exec(`${text}\n`);
      if (found) resolve(found);
      if (found) clearTimeout(timer);
    });
    child.once("exit", (code) => fail(`The program exited with code ${code}.`));
  });
}

export async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}
