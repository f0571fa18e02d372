import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  connectGateway,
  createHome,
  type Gateway,
  type Home,
  INITIALIZE,
  npmServer,
  spawnGateway,
} from "../support/gateway.js";

import { recordsIn } from "../support/records.js";

let home: Home;
let gateway: Gateway;
beforeAll(async () => {
  home = createHome({});
  writeFileSync(join(home.folder, "notes.txt"), "hello from a file");
  writeFileSync(
    home.config,
    JSON.stringify({
      servers: {
        everything: npmServer("everything"),
        filesystem: { ...npmServer("filesystem", home.folder), description: "Files" },
        memory: { ...npmServer("memory"), env: { MEMORY_FILE_PATH: join(home.folder, "memory.jsonl") } },
      },
      toolRules: [{ pattern: "*delete*", enabled: false, tags: ["dangerous"] }],
    }),
  );
  gateway = await connectGateway(home);
});
afterAll(async () => {
  await gateway.close();
  home.remove();
});

describe("the tool list", () => {
  it("has exactly five tools in at most 600 tokens", async () => {
    const { tools } = await gateway.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "list_mcp_servers",
      "search_tools",
      "list_tools",
      "get_tool_details",
      "execute_tool",
    ]);
    expect(encode(JSON.stringify(tools)).length).toBeLessThanOrEqual(600);
  });

  it("is the same byte for byte at every start", async () => {
    const lists = await Promise.all(
      [1, 2].map(async () => {
        const raw = spawnGateway(home);
        raw.send(INITIALIZE);
        const opening = (await raw.answer(0)).line;
        raw.send({ method: "notifications/initialized" });
        raw.send({ id: 1, method: "tools/list" });
        const list = (await raw.answer(1)).line;
        raw.process.stdin.end();
        expect(await raw.exit).toBe(0);
        return [opening, list];
      }),
    );
    expect(lists[0]).toEqual(lists[1]);
  });

  it("comes with instructions that name the servers, in at most 150 tokens", () => {
    const instructions = gateway.client.getInstructions() ?? "";
    for (const name of ["everything", "filesystem (Files)", "memory"]) expect(instructions).toContain(name);
    expect(encode(instructions).length).toBeLessThanOrEqual(150);
  });
});

describe("an agent", () => {
  it("searches, reads the details and executes", async () => {
    const found = (await gateway.call("search_tools", { query: "read a text file" })).json() as {
      results: { server: string; tool: string; relevance: number }[];
    };
    expect(found.results.slice(0, 2)).toContainEqual(
      expect.objectContaining({ server: "filesystem", tool: "read_text_file" }),
    );
    const details = (await gateway.call("get_tool_details", { server: "filesystem", tool: "read_text_file" })).json();
    expect(details).toMatchObject({
      parameters: expect.arrayContaining([expect.objectContaining({ name: "path", required: true })]),
    });
    const { text, isError } = await gateway.call("execute_tool", {
      server: "filesystem",
      tool: "read_text_file",
      arguments: { path: join(home.folder, "notes.txt") },
    });
    expect(isError).toBe(false);
    expect(text).toContain("hello from a file");
  });

  it("can send arguments as a JSON string, as some models do", async () => {
    const { text } = await gateway.call("execute_tool", {
      server: "everything",
      tool: "echo",
      arguments: '{"message":"hi"}',
    });
    expect(text).toContain("hi");
  });

  it("lists the servers with their number of tools, and the gateway itself", async () => {
    const { servers } = (await gateway.call("list_mcp_servers", {})).json() as { servers: object[] };
    expect(servers).toMatchObject(["everything", "filesystem", "memory", "anygpt"].map((name) => ({ name })));
    expect(servers[1]).toMatchObject({ name: "filesystem", description: "Files", toolCount: expect.any(Number) });
  });

  it("lists the tools of one server, disabled ones only on request", async () => {
    type Listed = { tools: { name: string; enabled: boolean; tags?: string[] }[] };
    const enabled = (await gateway.call("list_tools", { server: "memory" })).json() as Listed;
    const all = (await gateway.call("list_tools", { server: "memory", includeDisabled: true })).json() as Listed;
    expect(enabled.tools.some(({ name }) => name.includes("delete"))).toBe(false);
    expect(all.tools.find(({ name }) => name === "delete_entities")).toMatchObject({
      enabled: false,
      tags: ["dangerous"],
    });
  });

  it.each<[string, string, object, object]>([
    [
      "an unknown server",
      "search_tools",
      { query: "x", server: "memry" },
      { code: "SERVER_NOT_FOUND", hint: "Did you mean memory?" },
    ],
    [
      "an unknown tool",
      "get_tool_details",
      { server: "everything", tool: "ecko" },
      { code: "TOOL_NOT_FOUND", hint: expect.stringContaining("echo") },
    ],
    [
      "a disabled tool",
      "execute_tool",
      { server: "memory", tool: "delete_entities", arguments: { entityNames: [] } },
      { code: "TOOL_DISABLED" },
    ],
    [
      "wrong arguments",
      "execute_tool",
      { server: "everything", tool: "get-sum", arguments: { a: "1" } },
      {
        code: "TOOL_VALIDATION_ERROR",
        signature: "get-sum(a: number, b: number)",
        violations: ['lacks the required member "b"', '/a is string, must be "number"'],
      },
    ],
    ["a wrong call of a meta-tool", "search_tools", { q: "x" }, { code: "INVALID_REQUEST" }],
  ])("gets an error with the next step for %s", async (_, name, args, expected) => {
    const { isError, json, error } = await gateway.call(name, args);
    expect(isError).toBe(true);
    expect(json()).toMatchObject({
      success: false,
      error: { message: expect.any(String), hint: expect.any(String), ...expected },
    });
    // In `_meta`, for programs.
    expect(error).toMatchObject({ executed: "no", retryable: false });
  });

  it("gets a protocol error for a tool that the gateway does not have", async () => {
    await expect(gateway.client.callTool({ name: "echo", arguments: {} })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("execute_tool"),
    });
  });

  it("gets the closest tools with a note when no tool fits", async () => {
    const answer = (await gateway.call("search_tools", { query: "zzqx vrrmpf" })).json();
    expect(answer).toMatchObject({
      fit: "none",
      results: { length: 3 },
      note: expect.stringContaining("No tool fits well") as string,
    });
  });

  it("reads the guide and each tool's full definition as resources", async () => {
    const { resources } = await gateway.client.listResources();
    expect(resources[0]?.uri).toBe("anygpt://guide");
    const { contents } = await gateway.client.readResource({ uri: "anygpt://tools/everything/get-sum" });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({
      name: "get-sum",
      inputSchema: { type: "object" },
    });
    await expect(gateway.client.readResource({ uri: "anygpt://results/none/1" })).rejects.toThrow(
      'No stored result has the id "none".',
    );
  });

  it("has every execution recorded, successful or not, without arguments", async () => {
    await gateway.call("execute_tool", { server: "everything", tool: "echo", arguments: { message: "top secret" } });
    const records = await recordsIn(join(home.folder, "state/store.db"));
    expect(records.at(-1)).toEqual({
      kind: "outcome",
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      actor_id: "local",
      surface: "mcp",
      client_name: expect.any(String),
      client_version: expect.any(String),
      tool_id: "everything:echo",
      params_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      key_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      risk: "low",
      decision: "allowed",
      outcome: "ok",
      duration_ms: expect.any(Number),
    });
    expect(JSON.stringify(records)).not.toContain("top secret");
  });
});

describe("the answer of a server", () => {
  let direct: Client;
  beforeAll(async () => {
    direct = new Client({ name: "direct", version: "1" });
    await direct.connect(new StdioClientTransport({ ...npmServer("everything"), stderr: "ignore" }));
  });
  afterAll(() => direct.close());

  it.each<[string, string, object]>([
    ["text", "echo", { message: "x" }],
    ["an image", "get-tiny-image", {}],
    ["annotations", "get-annotated-message", { messageType: "error", includeImage: true }],
    ["resource links", "get-resource-links", { count: 3 }],
    ["structured content", "get-structured-content", { location: "Chicago" }],
  ])("passes through unchanged: %s", async (_, tool, args) => {
    const through = await gateway.client.callTool({
      name: "execute_tool",
      arguments: { server: "everything", tool, arguments: args },
    });
    // Only the id of the audit record is added, in `_meta`.
    const { _meta: { "anygpt/execution": execution, ...meta } = {}, ...rest } = through;
    expect(execution).toEqual({ request_id: expect.any(String) as unknown });
    const { _meta: sent, ...expected } = await direct.callTool({ name: tool, arguments: { ...args } });
    expect(JSON.stringify(rest)).toBe(JSON.stringify(expected));
    expect(meta).toEqual(sent ?? {});
  });

  it("is preceded by progress notifications while the call runs", async () => {
    const seen: number[] = [];
    await gateway.client.callTool(
      {
        name: "execute_tool",
        arguments: {
          server: "everything",
          tool: "trigger-long-running-operation",
          arguments: { duration: 0.2, steps: 4 },
        },
      },
      { onprogress: ({ progress, total }) => seen.push(progress / (total ?? 1)) },
    );
    expect(seen).toEqual([0.25, 0.5, 0.75, 1]);
  });
});
