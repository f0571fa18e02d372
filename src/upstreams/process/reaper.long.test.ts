import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, isRunning } from "../../../test/support/eventually.js";
import { serverFile } from "../../../test/support/upstreams.js";
import { createReaper } from "./reap-client.js";

const folder = mkdtempSync(join(tmpdir(), "reaper-"));
const reaper = join(folder, "reaper.js");
const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

// A separate gateway process that can be killed. It calls one tool of each server and prints the answers.
const gateway = `
import { createUpstreams } from ${JSON.stringify(source("../pool.ts"))};
import { upstreamOptions } from ${JSON.stringify(source("../options.ts"))};
const upstreams = createUpstreams({ options: upstreamOptions.parse({}), env: process.env, installsFolder: process.argv[3], now: Date.now, random: Math.random, log: () => {} });
const servers = JSON.parse(process.argv[2]);
const call = { context: { actor: { id: "local", surface: "mcp" } }, tool: "pid", arguments: {}, timeoutMs: 10000, maxTotalMs: 10000 };
const answers = await Promise.all(servers.map((args, index) => upstreams.call(
  { name: "s" + index, eraHint: "legacy", connection: () => ({ kind: "stdio", command: process.execPath, args, env: {} }) }, call)));
console.log(answers.map((answer) => answer.content[0].text).join(" "));
process.on("SIGTERM", () => upstreams.close());
`;

beforeAll(async () => {
  const banner = { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' };
  writeFileSync(join(folder, "gateway.ts"), gateway);
  await build({
    entryPoints: { gateway: join(folder, "gateway.ts"), reaper: source("./reaper.ts") },
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    banner,
    nodePaths: [source("../../../node_modules")],
  });
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function startGateway(
  servers: readonly (readonly string[])[],
): Promise<{ process: ChildProcess; pids: number[] }> {
  const child = spawn(
    process.execPath,
    [join(folder, "gateway.js"), JSON.stringify(servers), join(folder, "installs")],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { process: child, pids: line.split(" ").map(Number) };
}

const stubborn = [serverFile("faulty.mjs"), "ignore-term"];
const withGrandchild = [serverFile("faulty.mjs"), "grandchild"];
const meek = [serverFile("echo.mjs")];

describe("reaper and gateway", () => {
  it("leaves no process running after a kill, even if servers ignore SIGTERM", async () => {
    const { process: child, pids } = await startGateway([meek, stubborn, withGrandchild, withGrandchild]);
    expect(pids).toHaveLength(6);
    expect(pids.every(isRunning)).toBe(true);
    child.kill("SIGKILL");
    await eventually(() => !pids.some(isRunning));
  });

  it("leaves no process running, and no reaper, after an orderly exit", async () => {
    const { process: child, pids } = await startGateway([meek, withGrandchild]);
    const reapers = await reapersOf(child.pid ?? 0);
    expect(reapers).toHaveLength(1);
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await exited;
    await eventually(() => ![...pids, ...reapers].some(isRunning));
  });
});

async function reapersOf(parent: number): Promise<number[]> {
  const list = spawn("ps", ["-o", "pid=,args=", "--ppid", String(parent)], { stdio: ["ignore", "pipe", "inherit"] });
  const found: number[] = [];
  for await (const line of createInterface({ input: list.stdout }))
    if (line.includes(reaper)) found.push(Number.parseInt(line, 10));
  return found;
}

describe("the reaper", () => {
  const create = (logged: string[] = [], program = reaper) =>
    createReaper({ program, env: {}, log: (message) => void logged.push(message) });
  const sleeper = (): ChildProcess => spawn("sleep", ["60"], { detached: true, stdio: "ignore" });

  it("ends the watched processes when its input closes, but not those that were unregistered", async () => {
    const [watched, forgotten] = [sleeper(), sleeper()];
    const client = create();
    client.watch(watched.pid!);
    client.watch(forgotten.pid!);
    client.forget(forgotten.pid!);
    const ended = once(watched, "exit");
    client.close();
    expect(await ended).toEqual([null, "SIGTERM"]);
    expect(isRunning(forgotten.pid!)).toBe(true);
    forgotten.kill();
  });

  it("lets an installation continue after it is detached and after the gateway exits, until its time limit", async () => {
    const [handedOver, left, late] = [sleeper(), sleeper(), sleeper()];
    const client = create();
    const note = { beganAt: Date.now(), limitMs: 600_000 };
    client.watch(handedOver.pid!, note);
    client.watch(left.pid!, note);
    client.watch(late.pid!, { ...note, limitMs: 500 });
    client.detach(handedOver.pid!);
    const ended = once(late, "exit");
    client.close();
    expect(await ended).toEqual([null, "SIGTERM"]);
    expect([handedOver, left].every(({ pid }) => isRunning(pid!))).toBe(true);
    handedOver.kill();
    left.kill();
  });

  it("limits the log size of an installation that it supervises", async () => {
    const log = join(folder, "flood.log");
    const file = openSync(log, "a");
    const child = spawn("sh", ["-c", "while :; do head -c 200000 /dev/zero >&2; sleep 0.01; done"], {
      detached: true,
      stdio: ["ignore", "ignore", file],
    });
    closeSync(file);
    const client = create();
    client.watch(child.pid!, { beganAt: Date.now(), limitMs: 600_000, log });
    client.close();
    await eventually(() => statSync(log).size > 1024 * 1024);
    await eventually(() => statSync(log).size < 1024 * 1024);
    expect(isRunning(child.pid!)).toBe(true);
    process.kill(-child.pid!, "SIGKILL");
  });

  it("does not mistake the complete folder of an older version for a finished update", async () => {
    const npxFolder = join(folder, "npx");
    const lock = join(npxFolder, "node_modules/.package-lock.json");
    mkdirSync(join(npxFolder, "node_modules/pkg"), { recursive: true });
    writeFileSync(lock, "{}");
    const [updating, served] = [
      sleeper(),
      spawn("sh", ["-c", "npm_lifecycle_event=npx sleep 60 & wait"], {
        detached: true,
        env: { PATH: "/bin:/usr/bin" },
      }),
    ];
    const client = create();
    const npx = { npxFolder, installedBefore: statSync(lock).mtimeMs };
    for (const { pid } of [updating, served]) client.watch(pid!, { beganAt: Date.now(), limitMs: 600_000, npx });
    const [servedEnded, updatingEnded] = [once(served, "exit"), once(updating, "exit")];
    client.close();
    expect(await servedEnded).toEqual([null, "SIGTERM"]);
    expect(isRunning(updating.pid!)).toBe(true);
    writeFileSync(lock, "{ }");
    expect(await updatingEnded).toEqual([null, "SIGTERM"]);
  });

  it("ends a server that was first registered as an installation", async () => {
    const server = sleeper();
    const client = create();
    client.watch(server.pid!, { beganAt: Date.now(), limitMs: 600_000 });
    client.watch(server.pid!);
    const ended = once(server, "exit");
    client.close();
    expect(await ended).toEqual([null, "SIGTERM"]);
  });

  it("does not restart after close, and survives a missing program", () => {
    const logged: string[] = [];
    const lost = create(logged, join(folder, "missing.js"));
    lost.watch(2);
    lost.watch(3);
    lost.forget(2);
    lost.close();
    expect(logged).toHaveLength(1);
  });
});
