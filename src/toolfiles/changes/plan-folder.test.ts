import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.js";
import type { ServerListing } from "../../model/server.js";
import type { ToolDefinition } from "../../model/tool.js";
import { type EnvNeed, type FileConnection, type ToolFile } from "../format/tool-file.js";
import { type FolderPlanParts, type PlannedFile, planFolder } from "./plan-folder.js";

const FIRST = Date.UTC(2026, 0, 27, 12, 0, 0, 123);
const LATER = Date.UTC(2026, 1, 1);
const URL = "https://mcp.context7.com/mcp";

const tool = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object", properties: { q: { type: "string" } } },
  ...more,
});
const listing = (tools: readonly ToolDefinition[], more: Partial<ServerListing> = {}): ServerListing => ({
  tools,
  dropped: [],
  truncated: false,
  era: "legacy",
  ...more,
});
const open: FileConnection = { kind: "http", url: URL, headers: {} };
const KEY: EnvNeed = { name: "KEY", description: "API key for context7", header: "X-Key", required: true };
const guarded: FileConnection = { kind: "http", url: URL, headers: { "X-Key": "${KEY}" } };

const plan = (tools: readonly ToolDefinition[], more: Partial<FolderPlanParts> = {}): readonly PlannedFile[] =>
  planFolder({
    server: "context7",
    listing: listing(tools),
    existing: [],
    connection: open,
    needs: [],
    now: LATER,
    ...more,
  });

/** The file of a first discovery. */
function written(definition: ToolDefinition, more: Partial<FolderPlanParts> = {}): ToolFile {
  const [planned] = plan([definition], { now: FIRST, ...more });
  if (planned?.kind !== "new") throw new Error(`Planned as ${planned?.kind}: ${planned?.differences.join()}`);
  return planned.file;
}

describe("planFolder", () => {
  it("creates a file for each tool in an empty folder", () => {
    const icons = [{ src: "x" }];
    const [planned, other] = plan([tool("query-docs", { icons }), tool("b")], {
      connection: guarded,
      needs: [KEY],
      now: FIRST,
    });
    expect(planned).toMatchObject({ kind: "new", toolId: "context7_query_docs", version: "1.0.0", differences: [] });
    expect(planned?.kind === "new" && planned.file).toStrictEqual({
      toolId: "context7_query_docs",
      version: "1.0.0",
      server: "context7",
      tool: tool("query-docs"),
      discoveredAt: "2026-01-27T12:00:00Z",
      definitionHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      needs: [KEY],
      connection: guarded,
      timeoutMs: 30_000,
    });
    expect(other?.toolId).toBe("context7_b");
  });

  it("keeps a file whose tool did not change, with all manual additions", () => {
    const file = written(tool("a"), { connection: guarded, needs: [KEY] });
    const owned: ToolFile = {
      ...file,
      risk: "high",
      timeoutMs: 5_000,
      needs: [{ ...KEY, description: "From the dashboard" }],
      connection: { ...guarded, headers: { "X-Key": "Bearer ${KEY}", "X-Plain": "1" } },
    };
    expect(plan([tool("a", { icons: [] })], { existing: [owned] })).toEqual([
      { kind: "unchanged", before: owned, toolId: "context7_a", version: "1.0.0", differences: [] },
    ]);
  });

  it("sees no change for the same credentials", () => {
    const file = written(tool("a"), { connection: guarded, needs: [KEY] });
    const described: ToolFile = { ...file, needs: [{ ...KEY, description: "From the dashboard" }] };
    const [planned] = plan([tool("a")], { existing: [described], connection: guarded, needs: [KEY] });
    expect(planned?.kind).toBe("unchanged");
  });

  it.each<[string, Partial<ToolDefinition>, string, RegExp]>([
    ["a description", { description: "Does it all." }, "1.0.1", /^description: /],
    ["an optional parameter", { inputSchema: withParameter({}) }, "1.1.0", /^\+ parameter n \(integer, optional\)$/],
    [
      "a required parameter",
      { inputSchema: withParameter({ required: ["n"] }) },
      "2.0.0",
      /^\+ parameter n \(integer, required\)$/,
    ],
  ])("gives a new version to a file when the server changed %s", (_, more, version, difference) => {
    const before: ToolFile = { ...written(tool("a")), risk: "low", timeoutMs: 1_000 };
    const [planned] = plan([tool("a", more)], { existing: [before] });
    expect(planned).toMatchObject({
      kind: "changed",
      before,
      version,
      differences: [expect.stringMatching(difference)],
    });
    expect(planned?.kind === "changed" && planned.file).toMatchObject({
      version,
      tool: tool("a", more),
      discoveredAt: "2026-02-01T00:00:00Z",
      risk: "low",
      timeoutMs: 1_000,
    });
    expect(plan([tool("a", more)], { existing: planned?.kind === "changed" ? [planned.file] : [] })[0]?.kind).toBe(
      "unchanged",
    );
  });

  const edited: ToolFile = { ...written(tool("a")), tool: tool("a", { description: "Mine." }) };

  it("detects a manual edit of the definition, and what would undo it", () => {
    const [planned] = plan([tool("a")], { existing: [edited] });
    expect(planned).toMatchObject({
      kind: "edited",
      before: edited,
      file: { tool: tool("a"), version: "1.0.1" },
      differences: ['description: "Mine." → "Does a."'],
    });
  });

  it("reports a conflict if both changed", () => {
    const [planned] = plan([tool("a", { description: "Theirs." })], { existing: [edited] });
    expect(planned).toMatchObject({
      kind: "conflict",
      file: { tool: { description: "Theirs." } },
      differences: ['description: "Mine." → "Theirs."'],
    });
  });

  it("reports no conflict if the server's definition equals the edit", () => {
    const [planned] = plan([edited.tool], { existing: [edited] });
    expect(planned).toMatchObject({
      kind: "changed",
      version: "1.0.1",
      differences: ["the server's definition is now the same as the file's"],
    });
  });

  it("writes new credentials into files, also edited ones, and keeps plain headers", () => {
    const before: ToolFile = {
      ...edited,
      connection: { ...guarded, headers: { "X-Old": "${OLD}", "X-Plain": "1" } },
      needs: [{ ...KEY, name: "OLD", header: "X-Old" }],
    };
    const [planned] = plan([tool("a")], { existing: [before], connection: guarded, needs: [KEY] });
    expect(planned).toMatchObject({
      kind: "changed",
      version: "1.1.0",
      differences: ["- header X-Old", "+ header X-Key", "- requirement OLD", "+ requirement KEY"],
    });
    expect(planned?.kind === "changed" && planned.file).toMatchObject({
      tool: edited.tool,
      needs: [KEY],
      connection: { headers: { "X-Plain": "1", "X-Key": "${KEY}" } },
    });
  });

  it("sends credentials to no other address", () => {
    const before = written(tool("a"), { connection: guarded, needs: [KEY] });
    const [planned] = plan([tool("a")], {
      existing: [before],
      connection: { ...open, url: "https://other.example/mcp" },
    });
    expect(planned).toMatchObject({ kind: "changed", version: "1.1.0" });
    expect(planned?.kind === "changed" && planned.file).toMatchObject({
      needs: [],
      connection: { url: "https://other.example/mcp", headers: {} },
    });
  });

  it("keeps the folder of a program, and notices other arguments", () => {
    const program: FileConnection = { kind: "stdio", command: "npx", args: ["x"], env: {}, cwd: "/srv" };
    const before = written(tool("a"), { connection: program });
    const again: FileConnection = { kind: "stdio", command: "npx", args: ["x"], env: {} };
    expect(plan([tool("a")], { existing: [before], connection: again })[0]?.kind).toBe("unchanged");
    const [moved] = plan([tool("a")], { existing: [before], connection: { ...again, args: ["y"] } });
    expect(moved).toMatchObject({ kind: "changed", differences: ['address: "npx x" → "npx y"', 'cwd: "/srv" → none'] });
  });

  it("stores the transport that worked", () => {
    const before = written(tool("a"), { connection: guarded, needs: [KEY] });
    const [planned] = plan([tool("a")], { existing: [before], connection: { ...open, kind: "sse" } });
    expect(planned).toMatchObject({ kind: "changed", differences: ["transport: http → sse"], file: { needs: [KEY] } });
  });

  it("gives a new tool the credentials of the server's other files", () => {
    const sibling: ToolFile = { ...written(tool("a"), { connection: guarded, needs: [KEY] }), timeoutMs: 9_000 };
    const planned = plan([tool("a"), tool("b")], { existing: [sibling] });
    expect(planned[1]).toMatchObject({ kind: "new", file: { connection: guarded, needs: [KEY], timeoutMs: 9_000 } });
  });

  it("reports a removed tool, but not if the list was truncated or the tool was skipped", () => {
    const before = written(tool("a"));
    const about = { existing: [before] };
    expect(plan([], about)).toMatchObject([{ kind: "vanished", toolId: "context7_a", before }]);
    expect(plan([], { ...about, listing: listing([], { truncated: true }) })).toMatchObject([{ kind: "unchanged" }]);
    const dropped = [{ name: "a", reason: "its schema is no object" }];
    expect(plan([], { ...about, listing: listing([], { dropped }) })).toMatchObject([
      { kind: "refused", before, differences: ["its schema is no object"] },
    ]);
  });

  it("changes no file of another server, and uses none of their ids", () => {
    const other: ToolFile = { ...written(tool("a")), server: "other" };
    const planned = plan([tool("a")], { existing: [other] });
    expect(planned).toMatchObject([
      { kind: "new", toolId: expect.stringMatching(/^context7_a_[0-9a-f]{8}$/) as string },
    ]);
  });

  it.each<[string, Partial<ToolDefinition>, RegExp]>([
    ["a forbidden key", { inputSchema: JSON.parse('{"__proto__":{"x":1}}') as JsonObject }, /not allowed as a key/],
    ["a schema that is nested too deep", { inputSchema: nested(100) }, /nested over 60 levels/],
    ["a text that is too long", { description: "x".repeat(600_000) }, /larger than 512 KiB/],
  ])("rejects a tool with %s, and continues with the others", (_, more, reason) => {
    const planned = plan([tool("bad", more), tool("good")]);
    expect(planned).toMatchObject([
      { kind: "refused", toolId: "context7_bad", differences: [expect.stringMatching(reason)] },
      { kind: "new", toolId: "context7_good" },
    ]);
  });

  it("writes definitions up to the depth limit", () => {
    expect(plan([tool("deep", { outputSchema: nested(59) })])[0]).toMatchObject({ kind: "new" });
  });
});

function withParameter(more: JsonObject): JsonObject {
  return { type: "object", properties: { q: { type: "string" }, n: { type: "integer" } }, ...more };
}

function nested(levels: number): JsonObject {
  let schema: JsonObject = {};
  for (let level = 1; level < levels; level++) schema = { not: schema };
  return schema;
}
