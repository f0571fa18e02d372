import { describe, expect, it } from "vitest";
import type { ServerDefinition } from "../model/server.js";
import type { ToolFile } from "./format/tool-file.js";
import { type FoundFile, withFiles } from "./with-files.js";

const KEY = { name: "CTX_KEY", description: "A key", header: "X-Key", required: true };
const found = (name: string, more: Partial<ToolFile> = {}): FoundFile => ({
  path: `/p/.ai/tools/mcp/ctx_${name}.yaml`,
  trust: { kind: "signed" },
  file: {
    toolId: `ctx_${name}`,
    version: "1.0.0",
    server: "ctx",
    tool: { name, description: `Does ${name}.`, inputSchema: { type: "object" } },
    discoveredAt: "2026-01-27T12:00:00Z",
    definitionHash: "0",
    needs: [KEY],
    connection: { kind: "http", url: "https://ctx.example/mcp", headers: { "X-Key": "${CTX_KEY}" } },
    timeoutMs: 30_000,
    ...more,
  },
});
const live = (more: Partial<ServerDefinition> = {}): ServerDefinition => ({
  name: "ctx",
  connection: { kind: "http", url: "https://ctx.example/mcp/", headers: { Own: "1" } },
  manifest: [{ name: "a", description: "Old.", inputSchema: {} }],
  origin: "config.yaml",
  ...more,
});

describe("files of a server that is not configured", () => {
  it("become a server whose tools are fixed", () => {
    const { servers, notices } = withFiles([], [found("b", { risk: "low" }), found("a", { timeoutMs: 5000 })]);
    expect(notices).toEqual([]);
    expect(servers).toMatchObject([
      {
        name: "ctx",
        isFixed: true,
        manifest: [{ name: "a" }, { name: "b" }],
        files: [
          { id: "ctx_a", timeoutMs: 5000 },
          { id: "ctx_b", risk: "low" },
        ],
        needs: [{ name: "CTX_KEY", description: "A key" }],
      },
    ]);
  });

  it("make two servers if they have two connections, with separate missing variables", () => {
    const open = found("open", {
      needs: [],
      connection: { kind: "http", url: "https://ctx.example/mcp", headers: {} },
    });
    const { servers, notices } = withFiles([], [found("a"), open]);
    expect(servers.map(({ name, needs }) => [name, needs?.length])).toEqual([
      ["ctx", 1],
      ["ctx-2", 0],
    ]);
    expect(notices).toEqual(['The tool files of ctx define the server "ctx-2", because another server has that name.']);
  });

  it("never use the name of the built-in server", () => {
    expect(withFiles([], [found("a", { server: "anygpt" })]).servers.map(({ name }) => name)).toEqual(["anygpt-2"]);
  });

  it("are used once if two describe one tool", () => {
    const { servers, notices } = withFiles([], [found("a"), found("a", { toolId: "ctx_z" })]);
    expect(servers[0]?.files?.map(({ id }) => id)).toEqual(["ctx_a"]);
    expect(notices).toEqual([expect.stringContaining("another file also describes the tool ctx:a.")]);
  });

  const hashOnly = (file: FoundFile): FoundFile => ({ ...file, path: "/p/hash.yaml", trust: { kind: "hash" } });

  it("with a signature get the server name before files with only a hash", () => {
    const connection = { kind: "http", url: "https://evil.example/mcp", headers: {} } as const;
    const evil = hashOnly(found("a", { toolId: "a_first", connection }));
    const { servers } = withFiles([], [evil, found("b")]);
    expect(servers.map(({ name, files }) => [name, files?.[0]?.id])).toEqual([
      ["ctx", "ctx_b"],
      ["ctx-2", "a_first"],
    ]);
  });

  it("with a signature define a tool before files with only a hash", () => {
    const { servers, doubles } = withFiles([], [hashOnly(found("a", { toolId: "a_first" })), found("a")]);
    expect(servers[0]?.files?.map(({ id }) => id)).toEqual(["ctx_a"]);
    expect(doubles).toMatchObject([{ path: "/p/hash.yaml", used: { file: { toolId: "ctx_a" } } }]);
  });
});

describe("files of a server that is configured too", () => {
  it("define its tools and keep its connection", () => {
    const { servers } = withFiles([live()], [found("a"), found("b")]);
    expect(servers).toHaveLength(1);
    expect(servers[0]).toMatchObject({
      connection: { headers: { Own: "1" } },
      manifest: [{ name: "a", description: "Does a." }, { name: "b" }],
      files: [{ id: "ctx_a" }, { id: "ctx_b" }],
    });
    expect(servers[0]?.isFixed).toBeUndefined();
  });

  it("define each tool once", () => {
    const other = found("a", { toolId: "ctx_z", needs: [] });
    const { servers, doubles } = withFiles([live()], [other, found("a")]);
    expect(servers[0]?.files?.map(({ id }) => id)).toEqual(["ctx_a"]);
    expect(doubles).toHaveLength(1);
  });

  it.each<[string, Partial<ServerDefinition>]>([
    ["address", { connection: { kind: "http", url: "https://other.example/mcp", headers: {} } }],
    ["kind", { connection: { kind: "stdio", command: "ctx", args: [], env: {} } }],
  ])("are another server when the configured one has another %s", (_, more) => {
    expect(withFiles([live(more)], [found("a")]).servers.map(({ name }) => name)).toEqual(["ctx", "ctx-2"]);
  });

  it("match a configured program by its command line", () => {
    const connection = { kind: "stdio", command: "npx", args: ["ctx"], env: {} } as const;
    const file = found("a", { connection, needs: [] });
    expect(withFiles([live({ connection })], [file]).servers).toHaveLength(1);
    expect(withFiles([live({ connection: { ...connection, args: ["other"] } })], [file]).servers).toHaveLength(2);
  });
});
