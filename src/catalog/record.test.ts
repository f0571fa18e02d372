import { describe, expect, it } from "vitest";
import type { ServerListing } from "../model/server.js";
import type { ToolDefinition } from "../model/tool.js";
import { connectionFingerprint, toRecord } from "./record.js";

const tool = (name: string, rest: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  inputSchema: { type: "object" },
  ...rest,
});
const listing = (tools: ToolDefinition[]): ServerListing => ({ tools, dropped: [], truncated: false, era: "legacy" });
const record = (tools: ToolDefinition[], previous: ReturnType<typeof toRecord> | undefined, now: number) =>
  toRecord(listing(tools), { server: "s", fingerprint: "f", previous, now });

describe("toRecord", () => {
  it("records what was added, removed and changed, naming the members that differ", () => {
    const first = record([tool("a", { description: "one" }), tool("b")], undefined, 1);
    const second = record([tool("a", { description: "two", title: "A" }), tool("c")], first, 2);
    expect(first.changes).toEqual([]);
    expect(second.changes).toEqual([
      { tool: "a", at: 2, kind: "changed", members: ["description", "title"] },
      { tool: "c", at: 2, kind: "added" },
      { tool: "b", at: 2, kind: "removed" },
    ]);
  });

  it("records no change when only the order of keys differs", () => {
    const first = record([{ name: "a", inputSchema: { type: "object", title: "x" } }], undefined, 1);
    const second = record([{ inputSchema: { title: "x", type: "object" }, name: "a" }], first, 2);
    expect(second.changes).toEqual([]);
  });

  it("keeps the newest two hundred changes", () => {
    let last = record([], undefined, 0);
    for (let n = 1; n <= 250; n++) last = record([tool(`t${n}`)], last, n);
    expect(last.changes).toHaveLength(200);
    expect(last.changes.at(-1)).toMatchObject({ at: 250 });
  });
});

it("gives another fingerprint to another command under the same name", () => {
  const stdio = { kind: "stdio", command: "a", args: [], env: {} } as const;
  expect(connectionFingerprint(stdio)).toBe(connectionFingerprint({ env: {}, args: [], command: "a", kind: "stdio" }));
  expect(connectionFingerprint(stdio)).not.toBe(connectionFingerprint({ ...stdio, args: ["x"] }));
});
