import { describe, expect, it } from "vitest";
import type { JsonObject } from "../model/json.js";
import { readPages, withoutInvalidHeaders } from "./listing.js";

const tool = (name: string): JsonObject => ({ name, inputSchema: { type: "object" } });

/** Answers each request with the next given page, and repeats the last one. */
function create(pages: readonly JsonObject[]) {
  const cursors: (string | undefined)[] = [];
  const page = (cursor: string | undefined): Promise<JsonObject> => {
    cursors.push(cursor);
    return Promise.resolve(pages[Math.min(cursors.length, pages.length) - 1] ?? {});
  };
  return { cursors, page };
}

const DEEP = JSON.parse(`${'{"a":'.repeat(9000)}1${"}".repeat(9000)}`) as object;

describe("a tool list", () => {
  it("is read to its last page", async () => {
    const { cursors, page } = create([
      { tools: [tool("a")], nextCursor: "2" },
      { tools: [tool("b")], nextCursor: "3" },
      { tools: [tool("c")] },
    ]);
    const { tools, truncated } = await readPages(page);
    expect(tools.map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(truncated).toBe(false);
    expect(cursors).toEqual([undefined, "2", "3"]);
  });

  it.each([
    ["an empty cursor", ""],
    ["a cursor that is not a string", 7],
    ["no cursor", undefined],
  ])("ends with %s", async (_name, nextCursor) => {
    const { cursors, page } = create([{ tools: [tool("a")], nextCursor }]);
    expect(await readPages(page)).toMatchObject({ truncated: false });
    expect(cursors).toHaveLength(1);
  });

  it("stops at a repeated cursor and is reported as truncated", async () => {
    const { cursors, page } = create([{ tools: [tool("a")], nextCursor: "again" }]);
    expect(await readPages(page)).toMatchObject({ truncated: true, tools: [tool("a")] });
    expect(cursors).toHaveLength(2);
  });

  it("stops after 100 pages", async () => {
    let count = 0;
    const result = await readPages(() => {
      count += 1;
      return Promise.resolve({ tools: [tool(`t${count}`)], nextCursor: String(count) });
    });
    expect(result.truncated).toBe(true);
    expect(count).toBe(100);
  });

  it("stops after 10,000 tools", async () => {
    const many = Array.from({ length: 10_001 }, (_, index) => tool(`t${index}`));
    const result = await readPages(() => Promise.resolve({ tools: many }));
    expect(result.tools).toHaveLength(10_000);
    expect(result.truncated).toBe(true);
  });

  it.each<[string, unknown, string, string]>([
    ["a definition that is not an object", 42, "", "it is not an object"],
    ["no name", { inputSchema: {} }, "", "it has no name"],
    ["an input schema of null", { name: "x", inputSchema: null }, "x", "its inputSchema is not an object"],
    ["an output schema of text", { name: "x", outputSchema: "y" }, "x", "its outputSchema is not an object"],
    ["annotations of text", { name: "x", annotations: "y" }, "x", "its annotations is not an object"],
    ["a description that is not a string", { name: "x", description: 7 }, "x", "its description is not text"],
    ["data that is nested too deep", { name: "x", inputSchema: DEEP }, "x", "it is nested over 64 levels deep"],
    ["a duplicate name", tool("good"), "good", "another tool has the same name"],
  ])("skips a tool with %s and keeps the others", async (_name, bad, name, reason) => {
    const result = await readPages(() => Promise.resolve({ tools: [tool("good"), bad, tool("fine")] }));
    expect(result.tools.map((kept) => kept.name)).toEqual(["good", "fine"]);
    expect(result.dropped).toEqual([{ name, reason }]);
  });

  it("treats a missing input schema as no parameters and keeps unknown members", async () => {
    const { tools } = await readPages(() => Promise.resolve({ tools: [{ name: "x", icons: [], "x-own": 1 }] }));
    expect(tools).toEqual([{ name: "x", icons: [], "x-own": 1, inputSchema: { type: "object" } }]);
  });

  it("fails completely when a page fails", async () => {
    const failing = (cursor: string | undefined): Promise<JsonObject> =>
      cursor === undefined
        ? Promise.resolve({ tools: [tool("a")], nextCursor: "2" })
        : Promise.reject(new Error("page 2"));
    await expect(readPages(failing)).rejects.toThrow("page 2");
  });
});

it("skips a tool with invalid header declarations if arguments are sent as headers", () => {
  const headed = (name: string, header: string) => ({
    name,
    inputSchema: { type: "object", properties: { a: { type: "string", "x-mcp-header": header } } },
  });
  const plain = { name: "plain", inputSchema: { type: "object" } };
  const dropped = [{ name: "", reason: "it has no name" }];
  const pages = { tools: [headed("good", "A"), headed("bad", "A B"), plain], dropped, truncated: true };
  expect(withoutInvalidHeaders(pages)).toEqual({
    tools: [headed("good", "A"), plain],
    dropped: [...dropped, { name: "bad", reason: "x-mcp-header is not a valid header name" }],
    truncated: true,
  });
});
