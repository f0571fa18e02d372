// The quick part of the end-to-end tests, for `npm test`: one pass through each surface of the built programs.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ANYGPT, connectGateway, createHome, type Gateway, type Home, testServer } from "../support/gateway.js";

let home: Home;
let gateway: Gateway;
beforeAll(async () => {
  home = createHome({ servers: { echo: testServer("echo.mjs") } });
  gateway = await connectGateway(home);
});
afterAll(async () => {
  await gateway.close();
  home.remove();
});

describe("the built gateway", () => {
  it("offers its five tools to an MCP client", async () => {
    const { tools } = await gateway.client.listTools();
    expect(tools).toHaveLength(5);
  });

  it("finds a tool and executes it", async () => {
    const found = await gateway.call("list_tools", { server: "echo" });
    expect(found.json()).toMatchObject({ tools: expect.arrayContaining([expect.objectContaining({ name: "pid" })]) });
    const { text, isError } = await gateway.call("execute_tool", { server: "echo", tool: "pid", arguments: {} });
    expect([Number(text) > 0, isError]).toEqual([true, false]);
  });

  it("answers a call of an unknown tool with an error code", async () => {
    const { isError, json } = await gateway.call("execute_tool", { server: "echo", tool: "none", arguments: {} });
    expect(isError).toBe(true);
    expect(json()).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
  });
});

describe("the built command line", () => {
  it("lists the servers of a configuration", async () => {
    const words = [ANYGPT, "mcp", "list", "--json", "--config", home.config];
    const { stdout } = await promisify(execFile)(process.execPath, words, { env: home.env, cwd: home.folder });
    expect(JSON.parse(stdout)).toMatchObject({ servers: [{ name: "echo" }] });
  });
});
