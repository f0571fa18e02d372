import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

// A gateway of its own, so that it can be killed: it calls one tool of each server and prints what they answer.
const gateway = `
import { createUpstreams } from ${JSON.stringify(source("../pool.ts"))};
import { upstreamOptions } from ${JSON.stringify(source("../options.ts"))};
const upstreams = createUpstreams({ options: upstreamOptions.parse({}), env: process.env, installsFolder: process.argv[3], now: Date.now, random: Math.random, log: () => {} });
const servers = JSON.parse(process.argv[2]);
const call = { tool: "pid", arguments: {}, timeoutMs: 10000, maxTotalMs: 10000 };
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

describe("a gateway", () => {
  it("that is killed leaves nothing running two seconds later, however stubborn its servers", async () => {
    const { process: child, pids } = await startGateway([meek, stubborn, withGrandchild, withGrandchild]);
    expect(pids).toHaveLength(6);
    expect(pids.every(isRunning)).toBe(true);
    child.kill("SIGKILL");
    await eventually(() => !pids.some(isRunning));
  });

  it("that ends in order leaves nothing running, and its reaper ends, too", async () => {
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

  it("ends what it watches when it is let go, and not what it was told to forget", async () => {
    const [watched, forgotten] = [sleeper(), sleeper()];
    const ours = create();
    ours.watch(watched.pid!);
    ours.watch(forgotten.pid!);
    ours.forget(forgotten.pid!);
    const ended = once(watched, "exit");
    ours.close();
    expect(await ended).toEqual([null, "SIGTERM"]);
    expect(isRunning(forgotten.pid!)).toBe(true);
    forgotten.kill();
  });

  it("leaves an installation alone when it is let go and when the gateway ends, until its time is over", async () => {
    const [handedOver, left, late] = [sleeper(), sleeper(), sleeper()];
    const ours = create();
    const note = { beganAt: Date.now(), limitMs: 600_000 };
    ours.watch(handedOver.pid!, note);
    ours.watch(left.pid!, note);
    ours.watch(late.pid!, { ...note, limitMs: 500 });
    ours.letGo(handedOver.pid!);
    const ended = once(late, "exit");
    ours.close();
    expect(await ended).toEqual([null, "SIGTERM"]);
    expect([handedOver, left].every(({ pid }) => isRunning(pid!))).toBe(true);
    handedOver.kill();
    left.kill();
  });

  it("ends a server that was an installation when it was registered first", async () => {
    const server = sleeper();
    const ours = create();
    ours.watch(server.pid!, { beganAt: Date.now(), limitMs: 600_000 });
    ours.watch(server.pid!);
    const ended = once(server, "exit");
    ours.close();
    expect(await ended).toEqual([null, "SIGTERM"]);
  });

  it("does not start again after the end, and survives the loss of its program", () => {
    const logged: string[] = [];
    const lost = create(logged, join(folder, "missing.js"));
    lost.watch(2);
    lost.watch(3);
    lost.forget(2);
    lost.close();
    expect(logged).toHaveLength(1);
  });
});
