import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testServer } from "../test/support/gateway.js";
import type { DiscoveryConfig } from "./config/discovery-config.js";
import { DiscoveryEngine, openEngine } from "./engine.js";
import type { EngineOptions } from "./gateway/engine-options.js";

let folder: string;
let options: EngineOptions & { readonly log: (line: string) => void };
let starts: string[];
let engines: DiscoveryEngine[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "connections-"));
  starts = [];
  engines = [];
  options = {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder },
    stateFolder: join(folder, "state"),
    log: (line) => void (line.startsWith("Starting ") && starts.push(line)),
  };
});
afterEach(async () => {
  for (const engine of engines) await engine.close();
  await rm(folder, { recursive: true, force: true });
});

function engineOn(config: DiscoveryConfig): DiscoveryEngine {
  const engine = new DiscoveryEngine(config, options);
  engines.push(engine);
  return engine;
}

async function pidOf(engine: DiscoveryEngine, server = "echo"): Promise<number> {
  const answer = await engine.executeTool(server, "pid", {});
  if (!answer.success) throw new Error(answer.error.message);
  return Number(answer.result);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const echo = { servers: { echo: testServer("echo.mjs") } };

describe("connect", () => {
  it("starts the server once, and the first call uses that connection", async () => {
    const engine = engineOn(echo);
    expect(engine.isConnected("echo")).toBe(false);
    await engine.connect("echo");
    expect(engine.isConnected("echo")).toBe(true);
    expect(await engine.listServers()).toMatchObject([{ name: "echo", status: "connected", toolCount: 15 }]);
    await pidOf(engine);
    expect(starts).toEqual(["Starting echo."]);
  });

  it("connects again to a server whose tools are known from an earlier run", async () => {
    const first = engineOn(echo);
    await first.connect("echo");
    await first.close();
    const second = engineOn(echo);
    await second.connect("echo");
    expect(second.isConnected("echo")).toBe(true);
  });

  it("shares one process between concurrent calls of connect", async () => {
    const engine = engineOn(echo);
    await Promise.all([engine.connect("echo"), engine.connect("echo"), pidOf(engine)]);
    expect(starts).toEqual(["Starting echo."]);
  });

  it("closes the connection after upstreams.idleMs", async () => {
    const engine = engineOn({ ...echo, upstreams: { idleMs: 1000 } });
    await engine.connect("echo");
    expect(engine.isConnected("echo")).toBe(true);
    await expect.poll(() => engine.isConnected("echo"), { timeout: 20_000 }).toBe(false);
  });

  it("rejects an unknown server, and one that cannot start", async () => {
    const engine = engineOn({ servers: { broken: { command: join(folder, "missing") } } });
    await expect(engine.connect("brocken")).rejects.toMatchObject({
      code: "SERVER_NOT_FOUND",
      facts: { nearest: ["broken"] },
    });
    await expect(engine.connect("broken")).rejects.toMatchObject({ code: "SERVER_CONNECTION_ERROR", server: "broken" });
    expect(engine.isConnected("broken")).toBe(false);
  });

  it("stops waiting when its signal is aborted", async () => {
    const engine = engineOn({
      servers: { hung: { command: process.execPath, args: ["-e", "setInterval(() => {}, 1e6)"] } },
    });
    const connecting = engine.connect("hung", undefined, { signal: AbortSignal.timeout(100) });
    await expect(connecting).rejects.toMatchObject({ code: "CANCELLED" });
  });

  it("adds a server that the configuration does not have, until the engine is closed", async () => {
    const engine = engineOn({ servers: {} });
    await engine.connect("echo", testServer("echo.mjs"));
    expect(engine.isConnected("echo")).toBe(true);
    const pid = await pidOf(engine);
    await engine.reload();
    expect(await pidOf(engine)).toBe(pid);
    const [best] = await engine.searchTools("add two numbers");
    expect(best).toMatchObject({ server: "echo", tool: "add" });
    expect(await engineOn({ servers: {} }).listServers()).toEqual([]);
  });

  it("replaces the server of that name and keeps the others", async () => {
    const file = join(folder, "config.json");
    await writeFile(file, JSON.stringify({ servers: { gate: testServer("gate.mjs", "old"), ...echo.servers } }));
    const engine = openEngine({ ...options, configPath: file });
    engines.push(engine);
    const pid = await pidOf(engine);
    await engine.connect("gate", testServer("gate.mjs", "new"));
    expect(await engine.executeTool("gate", "whoami", {})).toMatchObject({
      success: true,
      result: expect.stringMatching(/^new /) as string,
    });
    expect(await pidOf(engine)).toBe(pid);
    expect((await engine.listServers()).map(({ name }) => name).sort()).toEqual(["echo", "gate"]);
  });

  it("changes nothing if the added server is invalid", async () => {
    const engine = engineOn({ ...echo, adapters: { payments: { document: "./openapi.yaml" } } });
    await expect(engine.connect("other", {})).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
      facts: { problems: [{ path: "servers.other" }] },
    });
    await expect(engine.connect("payments", testServer("echo.mjs"))).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
      facts: { problems: [{ path: "servers.payments", reason: "has the name of an adapter" }] },
    });
    await engine.reload();
    expect((await engine.listServers()).map(({ name }) => name).sort()).toEqual(["echo", "payments"]);
  });
});

describe("disconnect", () => {
  it("stops the process, and the next call starts another one", async () => {
    const engine = engineOn(echo);
    const pid = await pidOf(engine);
    await engine.disconnect("echo");
    expect(engine.isConnected("echo")).toBe(false);
    expect(isAlive(pid)).toBe(false);
    expect(await pidOf(engine)).not.toBe(pid);
    expect(engine.isConnected("echo")).toBe(true);
  });

  it("lets a call in progress finish", async () => {
    const engine = engineOn(echo);
    const events: unknown[] = [];
    const call = engine.executeTool(
      "echo",
      "sleep",
      { ms: 300, every: 20 },
      { onEvent: (event) => events.push(event) },
    );
    await expect.poll(() => events.length, { timeout: 20_000 }).toBeGreaterThan(0);
    await engine.disconnect("echo");
    expect(await call).toMatchObject({ success: true });
  });

  it("does nothing for a server that is not connected or does not exist", async () => {
    const engine = engineOn(echo);
    await engine.disconnect("echo");
    await engine.listServers();
    await engine.disconnect("missing");
    expect(engine.isConnected("missing")).toBe(false);
  });
});

describe("validate", () => {
  it("accepts a valid configuration and starts nothing", async () => {
    expect(await engineOn({}).validate(echo)).toEqual({ valid: true, problems: [] });
    expect(starts).toEqual([]);
  });

  it("reports every problem, including patterns that do not compile", async () => {
    const wrong = { servers: { a: {} }, toolRules: [{ pattern: "/(/" }], http: { prot: 1 } };
    const { valid, problems } = await engineOn({}).validate(wrong);
    expect(valid).toBe(false);
    expect(problems.map(({ path }) => path).sort()).toEqual(["http.prot", "servers.a", "toolRules[0].pattern"]);
  });

  it("rejects a value that is not an object", async () => {
    expect(await engineOn({}).validate(42)).toMatchObject({ valid: false, problems: [{ path: "" }] });
  });

  it("without an argument, checks the configuration that reload would read", async () => {
    const file = join(folder, "config.json");
    await writeFile(file, JSON.stringify(echo));
    const engine = openEngine({ ...options, configPath: file });
    engines.push(engine);
    expect(await engine.validate()).toEqual({ valid: true, problems: [] });
    await writeFile(file, '{\n  "servers": []\n  "search": {}\n}');
    expect(await engine.validate()).toMatchObject({ valid: false, problems: [{ file, line: 3 }] });
  });
});

describe("search", () => {
  it("distinguishes servers that are still starting from a query that no tool fits", async () => {
    const engine = engineOn({
      ...echo,
      servers: { ...echo.servers, hung: { command: process.execPath, args: ["-e", "setInterval(() => {}, 1e6)"] } },
    });
    await engine.connect("echo");
    const early = await engine.search("qwertz", { waitMs: 0 });
    expect(early).toMatchObject({ fit: "none", also: [], pending: [{ server: "hung" }], failed: [] });
    const only = engineOn(echo);
    await only.ready();
    const complete = await only.search("qwertz");
    expect(complete).toMatchObject({ fit: "none", also: [], pending: [], failed: [] });
    for (const { results } of [early, complete]) {
      expect(results.map(({ server }) => server)).toContain("echo");
      expect(results.length).toBeLessThanOrEqual(3);
    }
  });
});
