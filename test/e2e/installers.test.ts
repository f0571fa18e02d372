import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { npxStateOf } from "../../src/upstreams/install/npx-cache.js";
import { eventually } from "../support/eventually.js";
import { ANYGPT, createHome, DISCOVERY, type Home, INITIALIZE, processesWith } from "../support/gateway.js";
import { HELD_PACKAGE, type NpxPlace, openNpxPlace } from "../support/npx-place.js";

const LONG_MS = 60_000;

let place: NpxPlace;
let home: Home;
const started: ChildProcess[] = [];

beforeEach(async () => {
  place = await openNpxPlace();
  place.registry.hold(HELD_PACKAGE);
  home = createHome({ servers: { npx: place.server() } });
});

afterEach(async () => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  await eventually(() => processesWith(place.name).length === 0, LONG_MS);
  await place.remove();
  home.remove();
});

function start(program: string, ...args: string[]): ChildProcess {
  const env = { ...home.env, ...place.env };
  const child = spawn(process.execPath, [program, ...args, "--config", home.config], { env });
  for (const stream of [child.stdout, child.stderr]) stream.resume();
  child.stdin.on("error", () => undefined);
  started.push(child);
  return child;
}

const exitOf = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(undefined);
    child.once("exit", resolve);
  });

/** npm waits for the download that the registry holds back; another package is there already. */
const isHalfInstalled = (): boolean =>
  place.registry.downloads.includes(HELD_PACKAGE) && existsSync(join(place.npxFolder, "node_modules"));

async function finishes(): Promise<void> {
  expect(npxStateOf(place.npxFolder, Date.now)).toBe("installing");
  place.registry.release();
  await eventually(() => npxStateOf(place.npxFolder, Date.now) === "complete", LONG_MS);
  expect(await place.tryPlainNpx()).toMatch(/^hello, world \d+$/);
  expect(place.registry.downloads.filter((name) => name === HELD_PACKAGE)).toHaveLength(1);
}

describe("an installation by npx goes on and leaves a working cache when", () => {
  it.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)("a gateway gets %s", async (signal) => {
    const gateway = start(DISCOVERY);
    gateway.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...INITIALIZE })}\n`);
    await eventually(isHalfInstalled, LONG_MS);
    gateway.kill(signal);
    await exitOf(gateway);
    await finishes();
  });
});
