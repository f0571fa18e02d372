import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testServer } from "../../test/support/gateway.js";
import type { Stages } from "./stages.js";
import type { DiscoveryConfig } from "../config/discovery-config.js";
import { DiscoveryEngine } from "../engine.js";
import type { CallContext } from "../model/call.js";
import type { Actor } from "../model/actor.js";
import { compileView } from "./scoped-view.js";

const tool = (name: string, description: string) => ({ name, description, inputSchema: { type: "object" } });
const CONFIG: DiscoveryConfig = {
  servers: {
    shop: {
      ...testServer("echo.mjs"),
      tools: [tool("list_orders", "Lists orders."), tool("refund_order", "Refunds.")],
    },
    vault: { ...testServer("echo.mjs"), tools: [tool("read_treasure", "Reads the treasure map.")] },
    unknown: testServer("echo.mjs"),
  },
  policy: {
    views: {
      clerk: { tools: ["shop:*", "!*refund*"] },
      mapped: { servers: ["vault", "un*"] },
      all: { tools: "*" },
      named: { servers: ["anygpt"], tools: "mcp_discover" },
    },
  },
};
const ACTOR: Actor = { id: "token:clerk", surface: "http" };

let folder: string;
let engine: DiscoveryEngine;
let all: Stages;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "views-"));
  engine = new DiscoveryEngine(CONFIG, { cwd: folder, env: { HOME: folder, PATH: process.env["PATH"] } });
  all = await engine.stages();
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const context: CallContext = { actor: ACTOR };
async function answerOf(stages: Stages, name: string, args: object): Promise<string> {
  const answer = await Promise.resolve(stages.offered.find(name)?.run(args, context)).catch((error: unknown) => ({
    error: String(error),
    ...(error as object),
  }));
  return JSON.stringify(answer);
}

describe("a view", () => {
  it.each([
    ["list_mcp_servers", {}],
    ["list_tools", { server: "shop" }],
    ["list_tools", { server: "vault" }],
    ["list_tools", { server: "vaul" }],
    ["list_tools", { server: "shop", includeDisabled: true }],
    ["search_tools", { query: "read the treasure map" }],
    ["search_tools", { query: "treasures" }],
    ["search_tools", { query: "refund", server: "shop" }],
    ["search_tools", { query: "x", server: "vault" }],
    ["get_tool_details", { server: "vault", tool: "read_treasure" }],
    ["get_tool_details", { server: "shop", tool: "refund_order" }],
    ["get_tool_details", { server: "shop", tool: "refund_orders" }],
    ["execute_tool", { server: "vault", tool: "read_treasure", arguments: {} }],
    ["execute_tool", { server: "shop", tool: "refund_order", arguments: {} }],
    ["execute_tool", { server: "shop", tool: "shop:refund_order", arguments: {} }],
  ])("reveals no hidden server or tool: %s %j", async (name, args) => {
    const clerk = await all.scopedView({ view: "clerk" });
    const text = (await answerOf(clerk, name, args)).replaceAll(JSON.stringify(args).slice(1, -1), "");
    const requested = Object.values(args).map(String);
    // The answer may repeat names from the request, but contain nothing else about them.
    const hidden = ["vault", "treasure", "refund_order", "Refunds", "unknown"].filter(
      (word) => !requested.some((one) => one.includes(word)),
    );
    expect(hidden.filter((word) => text.includes(word))).toEqual([]);
    expect(text).not.toContain("map");
  });

  it("answers for a hidden tool as for one that does not exist", async () => {
    const clerk = await all.scopedView({ view: "clerk" });
    for (const [name, hidden, never] of [
      ["get_tool_details", { server: "vault", tool: "read_treasure" }, { server: "vaxxx", tool: "read_treasure" }],
      ["execute_tool", { server: "shop", tool: "refund_order" }, { server: "shop", tool: "refxxx_order" }],
    ] as const) {
      const [first, second] = [await answerOf(clerk, name, hidden), await answerOf(clerk, name, never)].map((text) =>
        text.replace(/"request_id":"[^"]*"/, ""),
      );
      expect(first?.replaceAll("vault", "vaxxx").replaceAll("refund", "refxxx")).toBe(second);
    }
  });

  it("includes its tools in lists and searches", async () => {
    const clerk = await all.scopedView({ view: "clerk" });
    expect([...clerk.snapshot().tools.keys()]).toEqual(["shop:list_orders"]);
    expect(await answerOf(clerk, "search_tools", { query: "list orders" })).toContain("list_orders");
    const { tools } = await clerk.discovery.server("shop");
    expect(tools.map(({ id }) => id)).toEqual(["shop:list_orders"]);
  });

  it("includes a server without known tools only if it names the server", async () => {
    expect([...(await all.scopedView({ view: "clerk" })).snapshot().servers.keys()]).toEqual(["shop"]);
    expect([...(await all.scopedView({ view: "mapped" })).snapshot().servers.keys()]).toEqual(["vault", "unknown"]);
  });

  it("includes the built-in tools only if it names their server", async () => {
    expect([...all.snapshot().tools.keys()]).toContain("anygpt:mcp_discover");
    const viewOfAll = await all.scopedView({ view: "all" });
    expect([...viewOfAll.snapshot().tools.keys()].filter((id) => id.startsWith("anygpt:"))).toEqual([]);
    const named = await all.scopedView({ view: "named" });
    expect([...named.snapshot().tools.keys()]).toEqual(["anygpt:mcp_discover"]);
  });

  it("is created once, and an unknown view is rejected", async () => {
    const clerk = await all.scopedView({ view: "clerk" });
    expect(await all.scopedView({ view: "clerk" })).toBe(clerk);
    expect(clerk.snapshot().tools).toBe(clerk.snapshot().tools);
    expect(await all.scopedView({})).toBe(all);
    await expect(all.scopedView({ view: "none" })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    await expect(all.scopedView({ view: "toString" })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });

  it("applies to every profile and mode", async () => {
    const gateway = await all.scopedView({ view: "clerk", profile: "gateway" });
    expect(gateway.offered.names).toContain("gateway.intent");
    expect(await answerOf(gateway, "gateway.adapters", {})).not.toContain("vault");
    const full = await all.scopedView({ view: "clerk", mode: "full" });
    expect(full.offered.page().tools.map(({ name }) => name)).toEqual(["list_orders", "read_result"]);
  });
});

it("uses the pattern syntax of toolRules", async () => {
  const view = await compileView({ v: { tools: ["*:get_*", "!/secret/i"], servers: ["a*"] } }, "v");
  expect(view.sees({ server: "ab", name: "get_x" })).toBe(false);
  const plain = await compileView({ v: { tools: ["get_*", "!/secret/i"], servers: ["a*"] } }, "v");
  expect(plain.sees({ server: "ab", name: "get_x" })).toBe(true);
  expect(plain.sees({ server: "ab", name: "get_SECRET" })).toBe(false);
  expect(plain.sees({ server: "b", name: "get_x" })).toBe(false);
  expect(plain.mayName("abc")).toBe(true);
  expect(plain.mayName("b")).toBe(false);
});
