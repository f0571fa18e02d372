import { describe, expect, it } from "vitest";
import type { Snapshot } from "../catalog/snapshot.js";
import { DiscoveryError } from "../errors.js";
import { localActor } from "../model/actor.js";
import type { Call, CallResult } from "../model/call.js";
import type { Tool, ToolDefinition } from "../model/tool.js";
import { createFullMode } from "./full-mode.js";
import { toAlias, toAliases } from "./full-mode-alias.js";

const VALID = /^[A-Za-z0-9_-]{1,64}$/;

describe("toAlias", () => {
  it.each([
    [{ server: "github", name: "create_issue" }, "github__create_issue"],
    [{ server: "my-api", name: "get-a" }, "my-api__get-a"],
  ])("joins the names of %j as %s", (tool, alias) => {
    expect(toAlias(tool, false)).toBe(alias);
  });

  it("is the name of the tool if there is only one server", () => {
    expect(toAlias({ server: "github", name: "create_issue" }, true)).toBe("create_issue");
  });

  it.each([
    [{ server: "a", name: "b.c d" }, /^a__b-c-d_[0-9a-v]{10}$/],
    [{ server: "a", name: "🚀" }, /^a__-_[0-9a-v]{10}$/],
    [{ server: "a", name: "x".repeat(300) }, /^a__x{50}_[0-9a-v]{10}$/],
    [{ server: "a__b", name: "c" }, /^a__b__c_[0-9a-v]{10}$/],
    [{ server: "a_", name: "c" }, /^a___c_[0-9a-v]{10}$/],
    [{ server: "a", name: "b_0123456789" }, /^a__b_0123456789_[0-9a-v]{10}$/],
  ])("ends with a hash if the names of %j are invalid, too long or ambiguous", (tool, pattern) => {
    expect(toAlias(tool, false)).toMatch(pattern);
  });

  it("is the same in every process", () => {
    expect(toAlias({ server: "files", name: "read a file" }, false)).toBe("files__read-a-file_9qrgjljsmi");
  });
});

/** Pseudo-random numbers, the same in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe("toAliases", () => {
  it("assigns a unique alias to each of 100,000 random names, independent of their order", () => {
    const random = createRandom(7);
    const letters = ["a", "b", "A", "B", "0", "1", "_", "-", ".", "/", ":", " ", "é", "ß", "日", "🚀"];
    const word = (maxLength: number): string =>
      Array.from({ length: 1 + random(maxLength) }, () => letters[random(letters.length)]).join("");
    const tools = new Map<string, { server: string; name: string }>();
    while (tools.size < 100_000) {
      const server = ["a", "a_", "a__a", "_a", "b-b", word(40)][random(6)]!;
      const name = random(10) === 0 ? `${"long".repeat(40)}${random(1_000_000)}` : word(random(8) === 0 ? 300 : 12);
      tools.set(JSON.stringify([server, name]), { server, name });
    }
    const aliases = toAliases(tools.values(), false);
    expect(aliases.size).toBe(100_000);
    const wrong = [...aliases.keys()].filter((alias) => !VALID.test(alias));
    expect(wrong).toEqual([]);
    expect(new Set(aliases.values()).size).toBe(100_000);
    const again = toAliases([...tools.values()].reverse(), false);
    expect([...aliases].every(([alias, tool]) => again.get(alias) === tool)).toBe(true);
  });

  it("uses longer hashes for tools whose short aliases collide", () => {
    const tools = ["a", "b", "c"].map((name) => ({ server: "s", name }));
    const weak: typeof toAlias = (tool, isAlone, length) =>
      length === undefined ? "same" : toAlias(tool, isAlone, length);
    const aliases = [...toAliases(tools, true, weak)];
    expect(aliases.map(([, { name }]) => name)).toEqual(["a", "b", "c"]);
    expect(aliases.every(([alias]) => /^[abc]_[0-9a-v]{40}$/.test(alias))).toBe(true);
  });
});

const definition = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  inputSchema: { type: "object" },
  ...more,
});
const toTool = (server: string, one: ToolDefinition, more: Partial<Tool> = {}): Tool => ({
  id: `${server}:${one.name}`,
  server,
  name: one.name,
  definition: one,
  hash: "h",
  enabled: true,
  tags: [],
  ...more,
});
const toSnapshot = (tools: readonly Tool[]): Snapshot => ({
  servers: new Map(
    tools.map(({ server }) => [
      server,
      { definition: { name: server, connection: { kind: server === "anygpt" ? "built-in" : "stdio" } } } as never,
    ]),
  ),
  tools: new Map(tools.map((tool) => [tool.id, tool])),
});

function setUp(tools: readonly Tool[], answer: () => Promise<CallResult> = () => Promise.resolve({ content: [] })) {
  const state = { snapshot: toSnapshot(tools) };
  const calls: Call[] = [];
  const mode = createFullMode({
    snapshot: () => state.snapshot,
    execute: (call) => {
      calls.push(call);
      return answer();
    },
    hasBudget: ({ server }) => server === "budgeted",
  });
  return { ...mode, state, calls };
}

const WHOLE = definition("read.file", {
  title: "Read",
  description: "Reads.",
  outputSchema: { type: "object" },
  annotations: { readOnlyHint: true },
  icons: [{ src: "data:," }],
  _meta: { "x/y": 1 },
  unheard: { of: true },
});

it("bounds the descriptions that it lists", () => {
  const long = definition("a", { description: "x".repeat(1_000_000) });
  const { tools } = setUp([toTool("s", long)]);
  expect(JSON.stringify(tools()).length).toBeLessThan(11_000);
});

describe("createFullMode", () => {
  it("lists definitions unchanged, except for the name", () => {
    const { tools } = setUp([toTool("fs", WHOLE), toTool("git", definition("log"))]);
    const [read, log] = tools();
    expect(read).toEqual({ ...WHOLE, name: expect.stringMatching(/^fs__read-file_[0-9a-v]{10}$/) });
    expect(log).toEqual({ name: "git__log", inputSchema: { type: "object" } });
  });

  it.each<[string, ToolDefinition["inputSchema"]]>([
    ["alternatives", { anyOf: [{ required: ["a"] }, { required: ["b"] }] }],
    ["a reference", { $ref: "#/$defs/a", $defs: { a: {} } }],
    ["several types", { type: ["object", "null"], required: ["a"] }],
    ["an empty schema", {}],
  ])("adds the type object to a root schema with %s, because clients reject any other type", (_, inputSchema) => {
    const { tools, find } = setUp([toTool("fs", definition("read", { inputSchema }))]);
    expect(tools()).toEqual([{ name: "read", inputSchema: { ...inputSchema, type: "object" } }]);
    expect(find("read")?.inputSchema).toBe(inputSchema);
  });

  it("does not list how the gateway calls a REST API", () => {
    const operation = { method: "GET", path: "/secret", parameters: [] };
    const [listed] = setUp([toTool("api", definition("get-a", { operation }), { operation })]).tools();
    expect(listed).toEqual({ name: "get-a", inputSchema: { type: "object" } });
  });

  it("lists the tools of a single server under their own names", () => {
    const { tools, find } = setUp([toTool("fs", definition("read")), toTool("fs", definition("write"))]);
    expect(tools().map(({ name }) => name)).toEqual(["read", "write"]);
    expect(find("read")).toMatchObject({ name: "read", readOnly: false });
  });

  it("lists no built-in tools, and does not count the built-in server", () => {
    const { tools, find } = setUp([toTool("a", definition("x")), toTool("anygpt", definition("mcp_discover"))]);
    expect(tools().map(({ name }) => name)).toEqual(["x"]);
    expect(find("mcp_discover")).toBeUndefined();
  });

  it("neither lists nor finds disabled and quarantined tools", () => {
    const quarantine = { reason: "changed", differs: [] } as const;
    const { tools, find } = setUp([
      toTool("fs", definition("read"), { enabled: false }),
      toTool("fs", definition("write"), { enabled: false, quarantine }),
    ]);
    expect(tools()).toEqual([]);
    expect([find("read"), find("write"), find("constructor")]).toEqual([undefined, undefined, undefined]);
  });

  it("lists read_result without the output schemas of tools whose results have a budget", async () => {
    const { tools, find, calls } = setUp([toTool("budgeted", WHOLE), toTool("git", definition("read_result"))]);
    const { outputSchema: _dropped, ...rest } = WHOLE;
    expect(tools()).toMatchObject([{ name: expect.stringMatching(/^budgeted__/) }, {}, { name: "read_result" }]);
    expect(tools()[0]).toEqual({ ...rest, name: tools()[0]?.name });
    await find("git__read_result")!.run({}, { actor: localActor("mcp") });
    await find("read_result")!.run({ result: "r1" }, { actor: localActor("mcp") });
    expect(calls.map(({ server, tool }) => `${server}:${tool}`)).toEqual(["git:read_result", "anygpt:read_result"]);
    expect(calls[0]?.describeReading?.({ result: "r1" })).toBe('read_result {"result":"r1"}');
  });

  it("gives read_result a longer name if a server has a tool with its name", () => {
    const { tools } = setUp([toTool("budgeted", definition("read_result"))]);
    expect(tools().map(({ name }) => name)).toEqual(["anygpt__read_result", "read_result"]);
  });

  it("returns the same array until a tool changes", () => {
    const { tools, find, state } = setUp([toTool("fs", definition("read"))]);
    const before = tools();
    state.snapshot = { ...state.snapshot };
    expect(tools()).toBe(before);
    state.snapshot = toSnapshot([toTool("fs", definition("read")), toTool("git", definition("log"))]);
    expect(tools().map(({ name }) => name)).toEqual(["fs__read", "git__log"]);
    expect(find("read")).toBeUndefined();
  });

  it("lists each tool once across pages, even if tools are added and removed in between", () => {
    const many = Array.from({ length: 2_500 }, (_, n) => toTool("fs", definition(`t${String(n).padStart(5, "0")}`)));
    const { page, state } = setUp(many);
    const first = page();
    expect(first.tools).toHaveLength(1_000);
    state.snapshot = toSnapshot([...many.slice(10), toTool("fs", definition("t00000a"))]);
    const second = page(first.nextCursor);
    const third = page(second.nextCursor);
    expect(second.tools[0]?.name).toBe("t01000");
    expect(third.nextCursor).toBeUndefined();
    expect(new Set([...first.tools, ...second.tools, ...third.tools].map(({ name }) => name)).size).toBe(2_500);
  });

  it("ends a page early if definitions are large", () => {
    const huge = "x".repeat(1_500_000);
    const { page } = setUp(
      ["a", "b", "c"].map((name) => toTool("fs", definition(name, { inputSchema: { type: "object", const: huge } }))),
    );
    expect(page().tools.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it.each(["", "x", Buffer.from("after é").toString("base64url"), "!!!"])("rejects the cursor %j", (cursor) => {
    expect(() => setUp([]).page(cursor)).toThrow(expect.objectContaining({ code: "INVALID_REQUEST" }));
  });

  it("calls the tool of the alias, with the idempotency key of the metadata", async () => {
    const { find, calls, tools } = setUp([toTool("fs", WHOLE), toTool("git", definition("log"))]);
    const onEvent = () => undefined;
    const meta = { "anygpt/idempotencyKey": "k1", trace: "t" };
    const context = { actor: localActor("mcp"), onEvent, meta };
    const found = find(tools()[0]!.name);
    expect(found).toMatchObject({ description: "Reads.", readOnly: true });
    await expect(found!.run({ path: "x" }, context)).resolves.toEqual({ kind: "result", result: { content: [] } });
    expect(calls).toEqual([
      {
        context,
        server: "fs",
        tool: "read.file",
        arguments: { path: "x" },
        idempotencyKey: "k1",
        describeReading: expect.any(Function) as unknown,
      },
    ]);
    expect(calls[0]?.context).toBe(context);
    await find("git__log")!.run(undefined, { actor: localActor("mcp") });
    expect(calls[1]?.arguments).toEqual({});
  });

  it("keeps the next steps of a failed call", async () => {
    const hint = { action: "confirm", id: "ab12" } as const;
    const fail = () => Promise.reject(new DiscoveryError("CONFIRMATION_REQUIRED", "No.", { hint }));
    const { find } = setUp([toTool("fs", definition("read"))], fail);
    await expect(find("read")!.run({}, { actor: localActor("mcp") })).rejects.toMatchObject({ nextSteps: [hint] });
  });

  it("rejects an invalid idempotency key in the metadata", async () => {
    const { find, calls } = setUp([toTool("fs", definition("read"))]);
    const context = { actor: localActor("mcp"), meta: { "anygpt/idempotencyKey": "é" } };
    await expect(find("read")!.run({}, context)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    expect(calls).toEqual([]);
  });
});
