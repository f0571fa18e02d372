import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  addServer,
  checkServers,
  describeConfiguration,
  type DiscoveryEngine,
  findServers,
  importServers,
  inspectAdapter,
  listAdapters,
  openEngine,
  removeServer,
  setServerEnabled,
  testAdapter,
  undoImport,
  undoLast,
  validateConfiguration,
} from "../src/index.js";
import { testServer } from "./support/gateway.js";

let home: string;
const engines: DiscoveryEngine[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "library-servers-"));
  mkdirSync(join(home, ".anygpt"));
  mkdirSync(join(home, "project"));
});
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
  rmSync(home, { recursive: true, force: true });
});

const configFile = (): string => join(home, ".anygpt/mcp-discovery.config.json");
const cursorFile = (): string => join(home, ".cursor/mcp.json");

function options() {
  return {
    cwd: join(home, "project"),
    env: { HOME: home, ANYGPT_HOME: join(home, ".anygpt"), PATH: process.env["PATH"] },
  };
}

function writeConfig(config: object): void {
  writeFileSync(configFile(), JSON.stringify(config));
}

function readServers(): unknown {
  return (JSON.parse(readFileSync(configFile(), "utf8")) as { servers?: unknown }).servers;
}

function open(): DiscoveryEngine {
  const engine = openEngine(options());
  engines.push(engine);
  return engine;
}

describe("editing servers", () => {
  const echo = testServer("echo.mjs");

  it("adds, disables, enables and removes a server, and undoes the last edit", async () => {
    writeConfig({ servers: {} });
    const added = await addServer([{ name: "echo", entry: { ...echo } }], options());
    expect(added).toEqual({ file: configFile(), isNew: false, lost: [], gained: ["echo"] });
    await expect(addServer([{ name: "echo", entry: { ...echo } }], options())).rejects.toMatchObject({
      code: "INVALID_REQUEST",
    });

    expect(await setServerEnabled(["echo"], false, options())).toMatchObject({ changed: ["echo"], unchanged: [] });
    expect(readServers()).toEqual({ echo: { ...echo, enabled: false } });
    expect(await setServerEnabled(["echo"], false, options())).toEqual({ changed: [], unchanged: ["echo"] });
    expect(await setServerEnabled(["echo"], true, options())).toMatchObject({ changed: ["echo"], gained: ["echo"] });
    expect(readServers()).toEqual({ echo });

    expect(await removeServer(["echo"], options())).toMatchObject({ changed: ["echo"], lost: [] });
    expect(readServers()).toEqual({});
    expect(await undoLast(options())).toMatchObject({ step: { action: "remove echo" }, left: 3 });
    expect(readServers()).toEqual({ echo });
  });

  it("disables a server of an MCP client without changing the client's file", async () => {
    mkdirSync(join(home, ".cursor"));
    writeFileSync(cursorFile(), JSON.stringify({ mcpServers: { echo } }));
    const before = readFileSync(cursorFile());
    writeConfig({ sources: [{ type: "cursor" }] });
    await expect(removeServer(["echo"], options())).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      nextSteps: [{ action: "run-command", command: "anygpt mcp disable echo" }, { action: "advice" }],
    });
    expect(await setServerEnabled(["echo"], false, options())).toMatchObject({ changed: ["echo"] });
    expect(readServers()).toEqual({ echo: { enabled: false } });
    expect(readFileSync(cursorFile())).toEqual(before);
  });
});

describe("importServers", () => {
  it("copies the servers of an MCP client, and undoImport restores the files", async () => {
    mkdirSync(join(home, ".cursor"));
    writeFileSync(cursorFile(), JSON.stringify({ mcpServers: { echo: testServer("echo.mjs") } }));
    expect(await importServers(options(), { dryRun: true })).toMatchObject({ written: false, added: ["echo"] });
    expect(existsSync(configFile())).toBe(false);

    const imported = await importServers(options());
    expect(imported).toMatchObject({
      config: configFile(),
      isNew: true,
      written: true,
      added: ["echo"],
      files: [{ client: "cursor", status: "read", servers: [{ name: "echo", outcome: "taken" }] }],
    });
    expect(readServers()).toEqual({ echo: testServer("echo.mjs") });

    expect(await undoImport(options())).toMatchObject({ undone: [{ path: configFile(), status: "removed" }], left: 0 });
    expect(existsSync(configFile())).toBe(false);
  });
});

describe("the configuration", () => {
  it("is described without starting a server, and validated with warnings", async () => {
    writeConfig({
      servers: { echo: testServer("echo.mjs"), remote: { url: "https://${NO_SUCH_HOST}/mcp" } },
      policy: { confirmation: { from: "high" } },
    });
    const engine = open();
    expect(await describeConfiguration(engine)).toMatchObject({
      file: configFile(),
      origin: "user",
      policy: { confirmation: { from: "high" } },
      servers: {
        configured: 2,
        known: 0,
        list: [
          { name: "echo", kind: "stdio" },
          { name: "remote", kind: "http" },
        ],
      },
    });
    const { problems, warnings } = await validateConfiguration(engine);
    expect(problems).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/^remote cannot be used: .*NO_SUCH_HOST/)]);
  });

  it("is rejected with CONFIGURATION_ERROR if the file is invalid", async () => {
    writeConfig({ servers: { echo: { command: 7 } } });
    await expect(validateConfiguration(open())).rejects.toMatchObject({ code: "CONFIGURATION_ERROR" });
  });
});

describe("checkServers", () => {
  it("starts each server and reports those that fail", async () => {
    writeConfig({ servers: { echo: testServer("echo.mjs"), missing: { command: join(home, "no-such-program") } } });
    const seen: string[] = [];
    const { servers, total, isInterrupted } = await checkServers(open(), {
      onServer: ({ server }, error) => seen.push(`${server} ${error?.code ?? "ok"}`),
    });
    expect({ total, isInterrupted }).toEqual({ total: 2, isInterrupted: false });
    expect(servers).toMatchObject([
      { server: "echo", status: "ok", tools: expect.any(Number) as number },
      { server: "missing", status: "failed", reason: expect.stringContaining("no-such-program") as string },
    ]);
    expect(seen.sort()).toEqual(["echo ok", "missing SERVER_CONNECTION_ERROR"]);
  });
});

describe("findServers", () => {
  it("finds a public server by what its tools do", async () => {
    const { servers, closest } = await findServers("create an issue on GitHub", { limit: 3, env: {} });
    expect(servers.map(({ entry }) => `${entry.name} ${entry.title}`).join(" ")).toMatch(/github/i);
    expect(closest).toEqual([]);
    await expect(findServers(" ")).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });
});

describe("adapters", () => {
  it("are listed, inspected and tested", async () => {
    const methods: (string | undefined)[] = [];
    const api = createServer((request, response) => {
      methods.push(request.method);
      response.end();
    });
    await new Promise<void>((resolve) => void api.listen(0, "127.0.0.1", resolve));
    try {
      const baseUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
      const document = join(home, "shop.json");
      writeFileSync(
        document,
        JSON.stringify({
          openapi: "3.1.0",
          info: { title: "Shop", version: "2" },
          paths: { "/orders": { get: { operationId: "listOrders", responses: { 200: { description: "ok" } } } } },
        }),
      );
      writeConfig({ adapters: { shop: { document, baseUrl } } });
      const engine = open();
      expect(await listAdapters(engine)).toMatchObject([{ name: "shop", document, baseUrl, tools: null }]);
      expect(await inspectAdapter(engine, "shop")).toMatchObject({
        title: "Shop",
        version: "2",
        operations: 1,
        categories: [{ operations: [{ method: "GET", path: "/orders" }] }],
      });
      await expect(inspectAdapter(engine, "shpo")).rejects.toMatchObject({ code: "SERVER_NOT_FOUND" });

      const statusOf = async (confirm?: () => Promise<boolean>) =>
        (await testAdapter(engine, "shop", confirm === undefined ? {} : { confirm })).map(
          ({ name, status }) => `${name} ${status}`,
        );
      expect(await statusOf()).toContain("address open");
      expect(methods).toEqual([]);
      expect(await statusOf(() => Promise.resolve(true))).toContain("address ok");
      expect(methods).toEqual(["HEAD"]);
    } finally {
      await new Promise((resolve) => void api.close(resolve));
    }
  });
});
