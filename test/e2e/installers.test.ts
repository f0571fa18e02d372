import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { npxStateOf } from "../../src/upstreams/install/npx-cache.js";
import { eventually } from "../support/eventually.js";
import { ANYGPT, createHome, DISCOVERY, type Home, INITIALIZE, processesWith } from "../support/gateway.js";
import { HELD_PACKAGE, type NpxPlace, openNpxPlace } from "../support/npx-place.js";

let place: NpxPlace;
let home: Home;
const started: ChildProcess[] = [];

beforeEach(() => open());

async function open(version = ""): Promise<void> {
  place = await openNpxPlace(version);
  home = createHome({ servers: { npx: place.server() } });
}

afterEach(close);

async function close(): Promise<void> {
  place.registry.release();
  for (const child of started.splice(0)) child.kill("SIGKILL");
  await eventually(() => processesWith(place.name).length === 0);
  await place.remove();
  home.remove();
}

interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly errors: () => string;
  readonly exit: Promise<number | null>;
}

function start(program: string, ...args: string[]): Started {
  const child = spawn(process.execPath, [program, ...args, "--config", home.config], { env: home.env });
  let [output, errors] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  child.stdin.on("error", () => undefined);
  started.push(child);
  const exit = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  return { child, output: () => output, errors: () => errors, exit };
}

function startGateway(): Started {
  const gateway = start(DISCOVERY);
  gateway.child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...INITIALIZE })}\n`);
  return gateway;
}

/** npm waits for the download that the registry delays. */
async function untilHalfInstalled(): Promise<void> {
  await eventually(() => place.registry.downloads.includes(HELD_PACKAGE));
  expect(npxStateOf(place.npxFolder, Date.now)).toBe("installing");
}

/** Output of plain npx after the installation is complete. */
async function finishAndTryNpx(): Promise<string> {
  expect(npxStateOf(place.npxFolder, Date.now)).toBe("installing");
  place.registry.release();
  await eventually(() => npxStateOf(place.npxFolder, Date.now) === "complete");
  expect([...place.registry.downloads].sort()).toEqual([...new Set(place.registry.downloads)].sort());
  return await place.tryPlainNpx();
}

const GREETING = /^hello, world \d+$/;

describe("an installation by npx continues and leaves a working cache when", () => {
  beforeEach(() => place.registry.hold(HELD_PACKAGE));

  it.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)("the gateway gets %s", async (signal) => {
    const { child, exit } = startGateway();
    await untilHalfInstalled();
    child.kill(signal);
    await exit;
    expect(await finishAndTryNpx()).toMatch(GREETING);
  });

  it("the client closes the connection", async () => {
    const { child, exit } = startGateway();
    await untilHalfInstalled();
    child.stdin?.end();
    await exit;
    expect(await finishAndTryNpx()).toMatch(GREETING);
  });

  it.each([["list"], ["search", "greet"], ["doctor"]])("%s is interrupted", async (...command) => {
    const { child, exit } = start(ANYGPT, "mcp", ...command);
    await untilHalfInstalled();
    child.kill("SIGINT");
    await exit;
    expect(await finishAndTryNpx()).toMatch(GREETING);
  });

  it("a reload removes the server, and the process exits while the gateway keeps running", async () => {
    const { child } = startGateway();
    await untilHalfInstalled();
    writeFileSync(home.config, JSON.stringify({ servers: {} }));
    child.kill("SIGHUP");
    const logs = join(home.folder, "state/installs");
    expect(await finishAndTryNpx()).toMatch(GREETING);
    await eventually(() => processesWith(place.name).length === 0);
    expect(child.exitCode).toBeNull();
    expect(readdirSync(logs).filter((name) => name.endsWith(".claim"))).toEqual([]);
  });

  it("the gateway is killed, and a server that ignores the end of its input is killed afterwards", async () => {
    writeFileSync(home.config, JSON.stringify({ servers: { npx: place.server("--stubborn") } }));
    const { child, exit } = startGateway();
    await untilHalfInstalled();
    child.kill("SIGKILL");
    await exit;
    expect(await finishAndTryNpx()).toMatch(GREETING);
    await eventually(() => processesWith(place.name).length === 0);
  });
});

describe("two gateways", () => {
  it("that start the same package at the same time download it once, and both get its tools", async () => {
    place.registry.hold(HELD_PACKAGE);
    const both = [start(ANYGPT, "mcp", "doctor", "--json"), start(ANYGPT, "mcp", "doctor", "--json")];
    await untilHalfInstalled();
    const claims = (): string[] =>
      readdirSync(join(home.folder, "state/installs")).filter((name) => name.endsWith(".claim"));
    expect(claims()).toHaveLength(1);
    place.registry.release();
    expect(await Promise.all(both.map(({ exit }) => exit))).toEqual([0, 0]);
    for (const { output } of both) expect(JSON.parse(output())).toMatchObject({ servers: [{ tools: 1 }] });
    expect(place.registry.downloads).toHaveLength(3);
    expect(claims()).toEqual([]);
  });
});

describe("a broken npx cache", () => {
  const modules = (...path: string[]): string => join(place.npxFolder, "node_modules", ...path);

  it.each<[string, () => void]>([
    ["lacks a package", () => rmSync(modules(HELD_PACKAGE), { recursive: true })],
    [
      "was left incomplete",
      () => {
        rmSync(modules(HELD_PACKAGE), { recursive: true });
        rmSync(modules(".package-lock.json"));
      },
    ],
    ["lacks a file of a package", () => rmSync(modules("npx-test-first", "index.js"))],
  ])("that %s is reported with its repair, which doctor --fix applies", async (_name, damage) => {
    // npx checks for missing packages only if it does not find the exact requested version.
    await close();
    await open("@1.0.0");
    expect(await place.tryPlainNpx()).toMatch(/^hello, world/);
    damage();
    const plain = start(ANYGPT, "mcp", "doctor");
    expect(await plain.exit).not.toBe(0);
    expect(plain.output()).toContain(`Its npx cache folder ${place.npxFolder} is broken.`);
    expect(plain.output()).toContain(`rm -r '${place.npxFolder}'`);
    expect(plain.output()).toContain("Cannot find module");

    const unattended = start(ANYGPT, "mcp", "doctor", "--fix");
    expect(await unattended.exit).not.toBe(0);
    expect(unattended.errors()).toContain("--yes");
    expect(existsSync(place.npxFolder)).toBe(true);

    const fixing = start(ANYGPT, "mcp", "doctor", "--fix", "--yes");
    expect(await fixing.exit).toBe(0);
    expect(fixing.errors()).toContain(`Removed ${place.npxFolder}.`);
    expect(await place.tryPlainNpx()).toMatch(/^hello, world/);
  });
});

describe("the installer output", () => {
  it("is quoted with npm's reason why a package cannot be installed", async () => {
    const missing = { ...place.server(), args: ["-y", "npx-test-nowhere"] };
    writeFileSync(home.config, JSON.stringify({ servers: { npx: missing } }));
    const { output, exit } = start(ANYGPT, "mcp", "doctor", "--json");
    expect(await exit).not.toBe(0);
    expect(output()).toMatch(/exited with code 1: \\"npm error 404 Not Found - GET /);
    expect(output()).not.toContain("brokenNpxFolder");
  });

  it("is kept when the gateway leaves the installation running", async () => {
    place.registry.hold(HELD_PACKAGE);
    const { child, exit } = startGateway();
    await untilHalfInstalled();
    child.kill("SIGTERM");
    await exit;
    const folder = join(home.folder, "state/installs");
    const logs = readdirSync(folder).filter((name) => name.endsWith(".log"));
    expect(logs).toHaveLength(1);
    expect(statSync(join(folder, logs[0] ?? "")).mode & 0o777).toBe(0o600);
  });
});
