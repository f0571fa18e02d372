import { execFile, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { ClientOptions } from "@modelcontextprotocol/client";
import { afterAll, describe, expect, it } from "vitest";
import { ANYGPT, connectGateway, type Gateway, type Home } from "../support/gateway.js";
import { CHARGE, createShop, endProcess, entryOf, type Shop } from "../support/shop.js";

const closings: (() => Promise<unknown> | void)[] = [];
afterAll(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});

async function openShop(...given: Parameters<typeof createShop>): Promise<Shop> {
  const shop = await createShop(...given);
  closings.push(() => shop.close());
  return shop;
}

async function connect(home: Home, options: ClientOptions = {}): Promise<Gateway> {
  const gateway = await connectGateway(home, options);
  closings.push(() => gateway.close());
  return gateway;
}

interface Answered {
  readonly success?: boolean;
  readonly data?: Record<string, unknown>;
  readonly error?: Record<string, unknown>;
  readonly meta?: Record<string, unknown>;
  readonly next_step?: string;
  readonly [other: string]: unknown;
}

const ask = async (gateway: Gateway, tool: string, args: object): Promise<Answered> =>
  (await gateway.call(`gateway.${tool}`, args)).json() as Answered;

async function run(home: Home, ...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const args = [ANYGPT, ...words, "--config", home.config];
  return await promisify(execFile)(process.execPath, args, { env: home.env, cwd: home.folder }).then(
    (done) => ({ code: 0, ...done }),
    (failed: { code: number; stdout: string; stderr: string }) => failed,
  );
}

describe("the same adapter over HTTP", () => {
  it("charges once for an Idempotency-Key and marks the replayed answer", async () => {
    const shop = await openShop();
    const { url, token } = await serve(shop);
    const post = async (tool: string, body: object, headers: Record<string, string> = {}) => {
      const response = await fetch(`${url}/api/adapters/payments/tools/${tool}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
      return { response, json: (await response.json()) as Record<string, unknown> };
    };
    const key = { "idempotency-key": "order-1" };
    const first = await post("create-charge", CHARGE, key);
    expect([first.response.status, first.json]).toMatchObject([200, { success: true, result: { id: "ch_1" } }]);
    expect(first.response.headers.get("idempotent-replayed")).toBeNull();
    const again = await post("create-charge", CHARGE, key);
    expect(again.response.headers.get("idempotent-replayed")).toBe("true");
    expect(again.json).toMatchObject({ result: first.json["result"], replayed: true });
    const refund = await post("create-refund", { charge: "ch_1" }, { "x-anygpt-confirmed": "true" });
    expect([refund.response.status, refund.json["code"]]).toEqual([403, "CONFIRMATION_REQUIRED"]);
    expect(shop.ledger()).toEqual([expect.stringMatching(entryOf("charge 5000 NGN ada@example.com"))]);
    const missing = await post("get-charge", { id: "ch_9" });
    expect(missing.response.headers.get("content-type")).toBe("application/problem+json");
    expect(missing.json).toMatchObject({
      code: "TOOL_EXECUTION_ERROR",
      detail: expect.stringContaining("ch_9") as unknown,
    });
  });
});

async function serve(home: Home): Promise<{ url: string; token: string }> {
  const words = [ANYGPT, "mcp", "serve", "--http", "--port", "0", "--config", home.config];
  const child = spawn(process.execPath, words, { env: home.env, stdio: ["ignore", "ignore", "pipe"] });
  closings.push(() => endProcess(child));
  for await (const line of createInterface({ input: child.stderr })) {
    const url = /Serving on (http:\S+),/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stderr.resume();
    return { url, token: readFileSync(join(home.folder, "state/http.token"), "utf8").trim() };
  }
  throw new Error("The gateway ended before it served.");
}

describe("the exported registry", () => {
  it("matches the catalog, and disables gateway.intent when it no longer matches", async () => {
    const shop = await openShop({ gateway: { registry: "operations.json" } });
    const file = join(shop.folder, "operations.json");
    expect(await run(shop, "mcp", "registry", "export")).toMatchObject({ code: 0 });
    const registry = JSON.parse(readFileSync(file, "utf8")) as { operations: Record<string, object> };
    expect(registry).toMatchObject({
      schema_version: "1.0.0",
      operation_count: 4,
      operations: {
        "payments:create-charge": {
          method: "POST",
          path: "/charges",
          risk_level: "high",
          required_params: ["amount", "currency", "email"],
          tags: expect.arrayContaining(["payments", "ngn"]) as unknown,
        },
      },
    });
    expect((await run(shop, "mcp", "registry", "check")).code).toBe(0);
    const query = "charge a card";
    const fresh = await connect(shop);
    expect(await ask(fresh, "intent", { query })).toMatchObject({
      recommended: { tool_id: "payments:create-charge" },
    });
    await fresh.close();

    const { "payments:create-refund": refund, ...others } = registry.operations;
    const operations = { ...others, "payments:create-refund": { ...refund, risk_level: "low" } };
    writeFileSync(file, JSON.stringify({ ...registry, operations }));
    const checked = await run(shop, "mcp", "registry", "check");
    expect(checked.code).toBe(2);
    expect(checked.stdout + checked.stderr).toContain("payments:create-refund");
    const stale = await connect(shop);
    const { error } = await ask(stale, "intent", { query });
    expect(error).toMatchObject({
      code: "CONFIGURATION_ERROR",
      message: expect.stringContaining("payments:create-refund: differs from the live catalog: risk_level.") as string,
    });
    expect(error?.["next_step"]).toContain("gateway.tools");
    const listed = await ask(stale, "execute", { tool_id: "payments:list-charges", params: {} });
    expect(listed).toMatchObject({ success: true });
  });
});
