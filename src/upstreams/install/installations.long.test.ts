import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually, isRunning } from "../../../test/support/eventually.js";
import {
  closeAll,
  openUpstreams,
  openWatched,
  serverFile,
  stdioTarget,
  textOf,
  toCall,
} from "../../../test/support/upstreams.js";
import type { UpstreamTarget } from "../types.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "installations-"));
});
afterEach(async () => {
  writeFileSync(join(folder, "downloaded"), "");
  await closeAll();
  await eventually(() => !pids().some(isRunning));
  rmSync(folder, { recursive: true, force: true });
});

const installs = () => join(folder, "installs");
const pids = (): number[] =>
  readdirSync(folder).includes("pids") ? readFileSync(join(folder, "pids"), "utf8").trim().split("\n").map(Number) : [];
const release = () => writeFileSync(join(folder, "downloaded"), "");

/**
 * A program with the name of an installer. It waits for a file, which simulates a download, and then runs the echo
 * server.
 */
function installer(name: string, ...args: string[]): UpstreamTarget {
  const command = join(folder, name);
  const wait = `echo $$ >> "${folder}/pids"; echo fetching >&2; while [ ! -e "${folder}/downloaded" ]; do sleep 0.05; done`;
  writeFileSync(command, `#!/bin/sh\n${wait}\nexec "${process.execPath}" "${serverFile("echo.mjs")}"\n`);
  chmodSync(command, 0o755);
  return stdioTarget(name, [], { connection: () => ({ kind: "stdio", command, args, env: {} }) });
}

const COMMANDS: [string, ...string[]][] = [
  ["uvx", "pkg"],
  ["docker", "run", "-i", "--rm", "image"],
  ["pnpm", "dlx", "pkg"],
  ["bunx", "pkg"],
  ["go", "run", "host/mod@latest"],
];
const options = { startWaitMs: 300, probeTimeoutMs: 100 };

describe.each(COMMANDS)("a server that %s installs", (name, ...args) => {
  it("is reported as installing, answers afterwards, and is reported as starting on later starts", async () => {
    const target = installer(name, ...args);
    const connection = await target.connection();
    const upstreams = openWatched(options, { installsFolder: installs() });
    expect(upstreams.needsInstallation(connection)).toBe(true);
    upstreams.call(target, toCall("pid")).catch(() => undefined);
    await eventually(() => "isInstalling" in upstreams.state(name));
    await expect(upstreams.call(target, toCall("echo", { text: "a" }))).rejects.toMatchObject({
      code: "UPSTREAM_STARTING",
      message: expect.stringMatching(new RegExp(`^${name} is still installing after \\d+ s\\.$`)),
      facts: { isInstalling: true },
    });
    expect(upstreams.state(name)).toMatchObject({ kind: "starting", isInstalling: true });
    release();
    await eventually(() => upstreams.state(name).kind === "open");
    expect(textOf(await upstreams.call(target, toCall("echo", { text: "a" })))).toBe("a");
    expect(upstreams.needsInstallation(connection)).toBe(false);
    await upstreams.drop(name);
    rmSync(join(folder, "downloaded"));
    await expect(upstreams.call(target, toCall("echo", { text: "a" }))).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`^${name} is still starting after \\d+ s\\.$`)),
    });
    expect(upstreams.state(name)).not.toHaveProperty("isInstalling");
  });
});

describe("an installation", () => {
  it.each<[string, (upstreams: ReturnType<typeof openUpstreams>) => unknown]>([
    ["the gateway closes", (upstreams) => upstreams.close()],
    ["the server is removed", (upstreams) => upstreams.drop("uvx")],
    [
      "a reload replaces the server",
      (upstreams) => upstreams.adopt({ options: { ...options } as never, identities: new Map() }),
    ],
  ])("continues when %s", async (_name, end) => {
    const upstreams = openWatched(options, { installsFolder: installs() });
    upstreams.call(installer("uvx", "pkg"), toCall("pid")).catch(() => undefined);
    await eventually(() => pids().length === 1);
    await end(upstreams);
    await eventually(() => upstreams.state("uvx").kind !== "starting");
    const [pid = 0] = pids();
    expect(isRunning(pid)).toBe(true);
    release();
    await eventually(() => !isRunning(pid));
    expect(pids()).toHaveLength(1);
  });

  it("continues after its time limit fails the start, and its output stays available", async () => {
    const upstreams = openWatched(
      { ...options, startTimeoutMs: 100, installTimeoutMs: 3_000, startWaitMs: 10_000 },
      { installsFolder: installs() },
    );
    await expect(upstreams.call(installer("uvx", "pkg"), toCall("pid"))).rejects.toMatchObject({
      code: "SERVER_CONNECTION_ERROR",
      message: 'uvx was still installing after 3 s: "fetching".',
    });
    expect(pids().every(isRunning)).toBe(true);
    const [log = ""] = readdirSync(installs()).filter((file) => file.endsWith(".log"));
    expect(readFileSync(join(installs(), log), "utf8")).toBe("fetching\n");
  });

  it("runs once for two servers that start at the same time", async () => {
    const one = installer("uvx", "pkg");
    const other = { ...one, name: "other" };
    const upstreams = openWatched({ ...options, startWaitMs: 10_000 }, { installsFolder: installs() });
    const both = [one, other].map((target) => upstreams.call(target, toCall("pid")));
    await eventually(() => pids().length === 1);
    expect(["uvx", "other"].map((name) => upstreams.state(name))).toMatchObject([
      { kind: "starting", isInstalling: true },
      { kind: "starting", isInstalling: true },
    ]);
    expect(pids()).toHaveLength(1);
    release();
    const answers = await Promise.all(both);
    expect(new Set(answers.map(textOf)).size).toBe(2);
  });

  it("by npx runs once at a time even when it updates a complete folder", async () => {
    const npmFolder = join(folder, "cache/_npx", createHash("sha512").update("pkg").digest("hex").slice(0, 16));
    mkdirSync(join(npmFolder, "node_modules/pkg"), { recursive: true });
    writeFileSync(join(npmFolder, "node_modules/.package-lock.json"), "{}");
    const one = installer("npx", "--cache", join(folder, "cache"), "pkg");
    const upstreams = openWatched({ ...options, startWaitMs: 10_000 }, { installsFolder: installs() });
    const first = upstreams.call(one, toCall("pid"));
    await eventually(() => pids().length === 1);
    const second = upstreams.call({ ...one, name: "other" }, toCall("pid"));
    await eventually(() => upstreams.state("other").kind === "starting");
    await eventually(() => upstreams.isProcessActive("other") === false);
    expect(pids()).toHaveLength(1);
    release();
    await Promise.all([first, second]);
    expect(pids()).toHaveLength(2);
  });
});

it.each(["uvx", "npx"])(
  "applies startTimeoutMs to a server that %s has installed before, and ends it",
  async (name) => {
    const target = installer(name, "--cache", join(folder, "cache"), "pkg");
    release();
    const before = openUpstreams({ ...options, startWaitMs: 10_000 }, { installsFolder: installs() });
    await before.call(target, toCall("pid"));
    await before.close();
    rmSync(join(folder, "downloaded"));
    const upstreams = openWatched(
      { ...options, startTimeoutMs: 500, startWaitMs: 10_000 },
      { installsFolder: installs() },
    );
    await expect(upstreams.call(target, toCall("pid"))).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`^${name} was not ready within 0.5 s`)),
    });
    await eventually(() => !pids().some(isRunning));
  },
);
