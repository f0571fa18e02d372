import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  connectGateway,
  createHome,
  DISCOVERY,
  type Home,
  INITIALIZE,
  nodeServer,
  spawnGateway,
  testServer,
} from "../support/gateway.js";
import { inspectorIn } from "../support/inspector.js";

let home: Home;
beforeAll(() => {
  home = createHome({ servers: { legacy: testServer("echo.mjs"), modern: testServer("modern.mjs") } });
});
afterAll(() => home.remove());

describe("clients of both protocol eras reach servers of both eras", () => {
  it.each<[string, ConstructorParameters<typeof ModernClient>[1], string]>([
    ["2026-07-28", { versionNegotiation: { mode: { pin: "2026-07-28" } } }, "2026-07-28"],
    ["the handshake", {}, "2025-11-25"],
  ])("with %s", async (_, options, version) => {
    const gateway = await connectGateway(home, options);
    try {
      expect(gateway.client.getNegotiatedProtocolVersion()).toBe(version);
      expect((await gateway.client.listTools()).tools).toHaveLength(5);
      for (const server of ["legacy", "modern"]) {
        const { tools } = (await gateway.call("list_tools", { server })).json() as { tools: { name: string }[] };
        expect(tools.map(({ name }) => name)).toContain("echo");
        expect((await gateway.call("execute_tool", { server, tool: "echo", arguments: { text: "hi" } })).text).toBe(
          "hi",
        );
      }
    } finally {
      await gateway.close();
    }
  });

  it("with SDK v1", async () => {
    const client = new OldClient({ name: "old", version: "1" });
    await client.connect(
      new OldTransport({ ...nodeServer(DISCOVERY, "--config", home.config), env: home.env, stderr: "ignore" }),
    );
    expect((await client.listTools()).tools).toHaveLength(5);
    const result = await client.callTool({
      name: "execute_tool",
      arguments: { server: "modern", tool: "echo", arguments: { text: "hi" } },
    });
    expect(result.content).toEqual([{ type: "text", text: "hi" }]);
    await client.close();
  });

  it.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
    "with the handshake of %s",
    async (protocolVersion) => {
      const raw = spawnGateway(home);
      raw.send({ ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion } });
      expect((await raw.answer(0)).result).toMatchObject({ protocolVersion });
      raw.send({ method: "notifications/initialized" });
      raw.send({ id: 1, method: "tools/list" });
      expect((await raw.answer(1)).result?.["tools"]).toHaveLength(5);
      raw.process.stdin.end();
      expect(await raw.exit).toBe(0);
    },
  );
});

it("works with the command line of the official MCP Inspector", async () => {
  const inspector = inspectorIn(home.folder);
  const inspect = async (...args: string[]) => {
    const command = [inspector, "--cli", process.execPath, DISCOVERY, ...args];
    const { stdout } = await promisify(execFile)(process.execPath, command, {
      env: { ...home.env, ANYGPT_CONFIG: home.config },
    });
    return JSON.parse(stdout) as { tools?: object[]; content?: { text: string }[] };
  };
  expect((await inspect("--method", "tools/list")).tools).toHaveLength(5);
  const call = ["--method", "tools/call", "--tool-name", "execute_tool"];
  const args = ["server=legacy", "tool=add", 'arguments={"a":1,"b":2}'].flatMap((arg) => ["--tool-arg", arg]);
  const called = await inspect(...call, ...args);
  expect(called.content?.[0]?.text).toBe("3");
});
