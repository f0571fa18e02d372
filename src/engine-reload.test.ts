import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testServer } from "../test/support/gateway.js";
import { recordsIn } from "../test/support/records.js";
import type { DiscoveryEngine } from "./engine.js";
import { openEngine } from "./engine.js";
import type { EngineOptions } from "./gateway/engine-options.js";
import type { CallContext } from "./model/call.js";

let folder: string;
let engines: DiscoveryEngine[];
let options: EngineOptions;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "engine-"));
  engines = [];
  options = { cwd: folder, env: { PATH: process.env["PATH"], HOME: folder }, stateFolder: join(folder, "state") };
});
afterEach(async () => {
  for (const engine of engines) await engine.close();
  await rm(folder, { recursive: true, force: true });
});

describe("reload", () => {
  it("applies changed audit options", async () => {
    const file = join(folder, "config.json");
    const write = (rest: object) =>
      writeFile(file, JSON.stringify({ servers: { echo: testServer("echo.mjs") }, ...rest }));
    await write({ audit: { enabled: false } });
    const engine = openEngine({ ...options, configPath: file });
    engines.push(engine);
    await engine.executeTool("echo", "pid", {});
    expect(await recordsIn(join(folder, "state", "store.db"))).toEqual([]);
    await write({ store: join(folder, "trail.db") });
    await Promise.all([engine.reload(), engine.reload()]);
    await engine.executeTool("echo", "pid", {});
    expect(await recordsIn(join(folder, "trail.db"))).toMatchObject([{ kind: "outcome", tool_id: "echo:pid" }]);
  });

  it("never returns to an earlier configuration while the engine is busy", async () => {
    const file = join(folder, "config.json");
    const write = (n: number) => writeFile(file, JSON.stringify({ servers: {}, cache: { ttl: n } }));
    await write(0);
    const engine = openEngine({ ...options, configPath: file });
    engines.push(engine);
    for (let n = 1; n <= 20; n++) {
      await write(n);
      const pending = Array.from({ length: 5 }, () => engine.known());
      await engine.reload();
      await Promise.all(pending);
      expect((await engine.known()).config.cache.ttl).toBe(n);
    }
  });

  it("applies a changed file, keeps unchanged servers running and removes the others", async () => {
    const file = join(folder, "config.json");
    const write = (servers: object) => writeFile(file, JSON.stringify({ servers }));
    await write({ stays: testServer("echo.mjs"), goes: testServer("echo.mjs", "x") });
    const engine = openEngine({ ...options, configPath: file });
    engines.push(engine);
    const pid = await engine.executeTool("stays", "pid", {});
    await engine.executeTool("goes", "pid", {});
    await write({ stays: testServer("echo.mjs"), comes: testServer("echo.mjs", "y") });
    await engine.reload();
    expect((await engine.listServers()).map(({ name }) => name)).toEqual(["stays", "comes"]);
    expect(await engine.executeTool("stays", "pid", {})).toEqual(pid);
    expect(await engine.executeTool("goes", "pid", {})).toMatchObject({ error: { code: "SERVER_NOT_FOUND" } });
    expect(await engine.executeTool("comes", "add", { a: 1, b: 1 })).toMatchObject({ success: true });
  });

  it("sends a call that began before the reload to the changed server, and none to a removed one", async () => {
    const file = join(folder, "config.json");
    const write = (servers: object) => writeFile(file, JSON.stringify({ servers }));
    const stays = testServer("echo.mjs");
    await write({ turns: testServer("gate.mjs", "old"), goes: testServer("gate.mjs", "goes"), stays });
    const engine = openEngine({ ...options, configPath: file });
    engines.push(engine);
    for (const name of ["turns", "goes", "stays"]) await engine.listTools(name);
    const before = await engine.known();
    const call = (server: string, tool: string) =>
      before.execute({ context: { actor: { id: "local", surface: "library" } }, server, tool, arguments: {} });
    await write({ turns: testServer("gate.mjs", "new"), stays });
    await engine.reload();
    expect(await call("turns", "whoami")).toMatchObject({
      content: [{ text: expect.stringMatching(/^new /) as string }],
    });
    await expect(call("goes", "whoami")).rejects.toMatchObject({ code: "SERVER_NOT_FOUND", executed: "no" });
    await expect(before.refresh.refresh("goes")).rejects.toMatchObject({ code: "SERVER_NOT_FOUND" });
    expect(await call("stays", "pid")).not.toHaveProperty("isError");
    expect(before.upstreams.state("goes")).toEqual({ kind: "closed" });
  });

  it("keeps the tools of unchanged servers, even without a cache on disk", async () => {
    const file = join(folder, "config.json");
    const write = (limit: number) =>
      writeFile(
        file,
        JSON.stringify({ servers: { echo: testServer("echo.mjs") }, cache: { enabled: false }, search: { limit } }),
      );
    await write(3);
    const engine = openEngine({ ...options, configPath: file });
    engines.push(engine);
    await engine.searchTools("echo");
    await write(1);
    await engine.reload();
    expect((await engine.stages()).snapshot().servers.get("echo")?.record?.tools).toHaveLength(15);
    expect(await engine.searchTools("echo text")).toHaveLength(1);
  });

  it("reports the result of each reload, and shows a problem until it is fixed", async () => {
    const file = join(folder, "config.json");
    await writeFile(file, JSON.stringify({ servers: { a: { command: "x" }, b: { command: "x" } } }));
    const engine = openEngine({ ...options, configPath: file });
    engines.push(engine);
    const outcomes: unknown[] = [];
    const reload = engine.watch((outcome) => void outcomes.push(outcome));
    const listed = async () => {
      const stages = await engine.stages();
      const gateway = await stages.scopedView({ profile: "gateway" });
      const list = [stages.offered.find("list_mcp_servers"), gateway.offered.find("gateway.adapters")];
      const context: CallContext = { actor: { id: "local", surface: "mcp" } };
      return (await Promise.all(list.map(async (one) => one?.run({}, context)))).map((answer) =>
        JSON.stringify(answer),
      );
    };
    await engine.stages();
    await writeFile(
      file,
      JSON.stringify({ servers: { b: { command: "y" }, c: { command: "x" } }, search: { limit: 5 } }),
    );
    await reload();
    expect(outcomes.at(-1)).toEqual({
      kind: "done",
      difference: { added: ["c"], removed: ["a"], changed: ["b"], sections: ["search"] },
    });
    await writeFile(file, "{");
    await reload();
    expect(outcomes.at(-1)).toMatchObject({ kind: "failed", reason: { code: "CONFIGURATION_ERROR" } });
    const note = expect.stringContaining("The changed configuration is invalid, so the previous one stays active.");
    expect(await listed()).toEqual([note, note]);
    await writeFile(file, "{}");
    await reload();
    expect((await listed()).join()).not.toContain("stays active");
  });

  it("keeps the last valid configuration if the new one is invalid", async () => {
    const file = join(folder, "config.json");
    await writeFile(file, JSON.stringify({ servers: { echo: testServer("echo.mjs") } }));
    const engine = openEngine({ ...options, configPath: file });
    engines.push(engine);
    await engine.listServers();
    await writeFile(file, '{"servers": {"echo": ');
    await expect(engine.reload()).rejects.toMatchObject({ code: "CONFIGURATION_ERROR" });
    expect(await engine.executeTool("echo", "add", { a: 1, b: 1 })).toMatchObject({ success: true });
  });
});
