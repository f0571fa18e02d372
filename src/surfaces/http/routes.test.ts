import { Validator as SchemaValidator } from "@cfworker/json-schema";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCliPlace, toolServer } from "../../../test/support/cli.js";
import { eventually } from "../../../test/support/eventually.js";
import { testServer } from "../../../test/support/gateway.js";
import { type Bank, createBank, openRest, type Rest, type RestReply } from "../../../test/support/rest.js";
import type { JsonObject } from "../../model/json.js";
import { toOpenApi } from "./openapi.js";
import { ROUTES } from "./routes.js";

const ODD = ["files/read 100%", "größe", "a:b?c#d", "..%2f"];

const runtime = createCliPlace();
let bank: Bank;
let rest: Rest;
beforeAll(async () => {
  bank = createBank();
  rest = await openRest({
    servers: {
      ...bank.servers,
      echo: { ...testServer("echo.mjs"), description: "Gives back what it gets." },
      odd: toolServer(runtime, "odd", { tools: ODD.map((name) => ({ name, inputSchema: { type: "object" } })) }),
    },
    toolRules: [{ pattern: "echo:crash", enabled: false }],
  });
});
afterAll(async () => {
  await rest.close();
  bank.remove();
  runtime.remove();
});

interface Described {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: JsonObject;
}
interface Operation {
  readonly operationId: string;
  readonly responses: Record<string, { content: Record<string, { schema: JsonObject }> }>;
}

/** The operation that a path belongs to. */
function operationAt({ paths }: Described, method: string, path: string): Operation | undefined {
  const template = Object.keys(paths).find((one) =>
    new RegExp(`^${one.replace(/\{\w+\}/g, "[^/]+")}$`).test(path.replace(/\?.*/, "")),
  );
  return template === undefined ? undefined : paths[template]?.[method];
}

/** Validates an answer against the OpenAPI document of the gateway. */
async function described(method: "get" | "post", path: string, reply: RestReply): Promise<RestReply> {
  const document = (await rest.ask("/openapi.json")).json as unknown as Described;
  const responses = operationAt(document, method, path)?.responses;
  const { content = {} } = responses?.[reply.status] ?? responses?.["default"] ?? {};
  const type = reply.headers.get("content-type") ?? "";
  const schema = { ...content[type]?.schema, components: document.components };
  expect(content[type]).toBeDefined();
  expect(new SchemaValidator(schema as never, "2020-12", false).validate(reply.json).errors).toEqual([]);
  return reply;
}
const get = async (path: string): Promise<RestReply> => await described("get", path, await rest.ask(path));
const post = async (path: string, body: unknown, headers?: Record<string, string>): Promise<RestReply> =>
  await described("post", path, await rest.post(path, body, headers));

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1 for an independent validator", async () => {
    const { json } = await get("/openapi.json");
    const validator = new Validator();
    expect(await validator.validate(json)).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  it("describes exactly the routes", async () => {
    const { paths } = (await rest.ask("/openapi.json")).json as unknown as Described;
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((one) => `${one} ${path}`),
    );
    const served = ROUTES.map(({ method, path }) => `${method.toLowerCase()} ${path}`);
    expect(documented.sort()).toEqual([...served, "get /openapi.json"].sort());
    expect(paths["/api/adapters/{adapter}/tools/{tool}"]?.["post"]).toMatchObject({
      parameters: expect.arrayContaining([
        expect.objectContaining({ in: "path", name: "adapter", required: true }),
        expect.objectContaining({ in: "header", name: "Idempotency-Key" }),
        expect.objectContaining({ in: "header", name: "X-AnyGPT-Timeout" }),
      ]),
    });
    expect(paths["/healthz"]?.["get"]).toMatchObject({ security: [] });
  });

  it("is rejected by that validator if it is invalid", async () => {
    const document = { ...toOpenApi(ROUTES), paths: { "/x": { get: { responses: "none" } } } };
    expect(await new Validator().validate(document)).toMatchObject({ valid: false });
  });
});

describe("adapters and tools", () => {
  it("lists the same entries as adapters and as servers", async () => {
    const isPending = async () => JSON.stringify((await get("/api/servers")).json).includes('"pending"');
    await eventually(async () => !(await isPending()));
    const { json } = await get("/api/adapters");
    expect(json["servers"]).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: "echo", description: "Gives back what it gets." }),
        expect.objectContaining({ name: "bank" }),
      ]),
    );
    expect((await get("/api/servers")).json).toEqual(json);
  });

  it("lists the tools of an adapter, and disabled ones with all", async () => {
    const { json } = await get("/api/adapters/echo/tools");
    const names = (listed: JsonObject) => (listed["tools"] as { name: string }[]).map(({ name }) => name);
    expect(json).toMatchObject({ server: "echo", disabled: 1 });
    expect(names(json)).toContain("add");
    expect(names(json)).not.toContain("crash");
    for (const query of ["all", "all=true"]) {
      expect(names((await get(`/api/adapters/echo/tools?${query}`)).json)).toContain("crash");
    }
    expect(names((await get("/api/adapters/echo/tools?all=false")).json)).not.toContain("crash");
  });

  it("describes a tool with its complete schema and its risk", async () => {
    const { json } = await get("/api/adapters/echo/tools/add");
    expect(json).toMatchObject({
      server: "echo",
      tool: "add",
      description: "Adds two numbers.",
      risk: "low",
      parameters: [
        { name: "a", type: "number", required: true },
        { name: "b", type: "number", required: true },
      ],
      inputSchema: { type: "object", required: ["a", "b"] },
    });
  });

  it.each(ODD)("finds the tool %j by its encoded name", async (name) => {
    const { status, json } = await get(`/api/adapters/odd/tools/${encodeURIComponent(name)}`);
    expect([status, json["tool"]]).toEqual([200, name]);
  });

  it("returns the same search results as search_tools", async () => {
    await rest.ask("/api/adapters/echo/tools");
    const { json } = await get("/api/search?q=sum%20of%20two%20numbers&limit=1");
    expect(json).toMatchObject({ fit: "good", results: [{ server: "echo", tool: "add" }] });
    const { metaTools } = await rest.engine.known();
    const asAgent = await metaTools
      .find(({ name }) => name === "search_tools")
      ?.run({ query: "sum of two numbers", limit: 1 }, { actor: { id: "local", surface: "mcp" } });
    expect(asAgent).toEqual({ kind: "data", data: json });
    const only = await get("/api/search?q=account&server=bank");
    const servers = (only.json["results"] as { server: string }[]).map(({ server }) => server);
    expect([...new Set(servers)]).toEqual(["bank"]);
  });

  it("groups further tools that may still be right by server", async () => {
    const { json } = await get("/api/search?q=sum%20of%20two%20numbers&limit=1&server=echo");
    const names = ((await get("/api/adapters/echo/tools")).json["tools"] as { name: string }[]).map(({ name }) => name);
    const { echo, ...others } = json["also"] as Record<string, string[]>;
    expect(others).toEqual({});
    expect(echo).not.toContain("add");
    expect(names).toEqual(expect.arrayContaining(echo ?? ["nothing"]));
  });

  it("lists the closest tools when no tool fits", async () => {
    const { json } = await get("/api/search?q=zzzzqqqq");
    expect(json).toMatchObject({
      fit: "none",
      note: expect.stringContaining("No tool fits well; these are the closest."),
    });
    expect((json["results"] as unknown[]).length).toBeLessThanOrEqual(3);
    expect(JSON.stringify(json)).not.toContain("list_mcp_servers");
    expect(JSON.stringify(await get("/api/adapters/none/tools"))).not.toContain("list_mcp_servers");
  });

  it("answers HEAD without a body", async () => {
    const { status, headers, json } = await rest.ask("/api/adapters", { method: "HEAD" });
    expect([status, headers.get("content-type"), json]).toEqual([200, "application/json", {}]);
  });
});

describe("an invalid request", () => {
  it.each<[string, string]>([
    ["/api/search", "q: "],
    ["/api/search?q=", "q: "],
    ["/api/search?q=a&limit=0", "limit: "],
    ["/api/search?q=a&limit=51", "limit: "],
    ["/api/search?q=a&limit=1.5", "limit: "],
    ["/api/search?q=a&limit=ten", "limit: "],
    ["/api/search?q=a&limit=0x10", "limit: "],
    ["/api/search?q=a&q=b", "q: "],
    ["/api/search?q=a&querry=b", "querry"],
    ["/api/search?q=a&__proto__=b", "__proto__"],
    ["/api/adapters/echo/tools?all=yes", "all: "],
    ["/api/adapters?token=abc", "token"],
  ])("is rejected with the name of the parameter: %s", async (path, problem) => {
    const { status, json } = await rest.ask(path);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: "INVALID_REQUEST", type: "urn:anygpt:error:INVALID_REQUEST" });
    expect(json["detail"]).toContain(problem);
  });

  it.each<[Record<string, string>, string]>([
    [{ "x-anygpt-dryrun": "true" }, "x-anygpt-dryrun"],
    [{ "x-anygpt-dry-run": "yes" }, "X-AnyGPT-Dry-Run"],
    [{ "x-anygpt-dry-run": "" }, "X-AnyGPT-Dry-Run"],
    [{ "x-anygpt-confirmed": "1" }, "X-AnyGPT-Confirmed"],
    [{ "x-anygpt-timeout": "0" }, "X-AnyGPT-Timeout"],
    [{ "x-anygpt-timeout": "1000" }, "X-AnyGPT-Timeout"],
    [{ "x-anygpt-timeout": "-1" }, "X-AnyGPT-Timeout"],
    [{ "idempotency-key": "" }, "Idempotency-Key"],
    [{ "idempotency-key": "with space" }, "Idempotency-Key"],
    [{ "idempotency-key": "k".repeat(256) }, "Idempotency-Key"],
  ])("runs no tool with the header %j", async (headers, name) => {
    const { status, json } = await post("/api/adapters/bank/tools/create", { name: "eve" }, headers);
    expect(status).toBe(400);
    expect(json["detail"]).toContain(name);
    expect(bank.ledger()).toEqual([]);
  });

  it.each([
    ["DELETE", "/api/adapters/bank/tools/create", "GET, HEAD, POST"],
    ["POST", "/api/search", "GET, HEAD"],
    ["PUT", "/healthz", "GET, HEAD"],
  ])("with the wrong method, %s %s, gets the allowed methods", async (method, path, allow) => {
    const { status, headers, json } = await rest.ask(path, { method });
    expect(status).toBe(405);
    expect(headers.get("allow")).toBe(allow);
    expect(json).toMatchObject({ type: "about:blank", title: "Method Not Allowed", status: 405 });
  });
});

describe("a call", () => {
  it("returns the tool's value, and non-text content next to it", async () => {
    expect((await post("/api/adapters/echo/tools/add", { a: 1, b: 2 })).json).toEqual({
      success: true,
      result: { sum: 3 },
    });
    expect((await post("/api/adapters/echo/tools/echo", { text: "hi" })).json).toEqual({ success: true, result: "hi" });
    const { json } = await post("/api/adapters/echo/tools/rich", {});
    expect(json).toMatchObject({ success: true, result: { deep: { value: [1, null] } } });
    expect(json["content"]).toHaveLength(5);
  });

  it("returns large results completely", async () => {
    const { json } = await post("/api/adapters/echo/tools/big", { bytes: 400_000 });
    expect(json["result"]).toHaveLength(400_000);
  });

  it("returns an error of the tool as an HTTP error", async () => {
    const { status, headers, json } = await post("/api/adapters/echo/tools/fail", {});
    expect(status).toBe(502);
    expect(headers.get("content-type")).toBe("application/problem+json");
    expect(json).toMatchObject({ code: "TOOL_EXECUTION_ERROR", detail: "it did not work", executed: "yes" });
  });

  it.each<[string, unknown, number, JsonObject]>([
    ["/api/adapters/ecko/tools/add", {}, 404, { code: "SERVER_NOT_FOUND", nearest: ["echo"], server: "ecko" }],
    ["/api/adapters/echo/tools/ecko", {}, 404, { code: "TOOL_NOT_FOUND", nearest: ["echo:echo"], tool: "ecko" }],
    ["/api/adapters/echo/tools/crash", {}, 403, { code: "TOOL_DISABLED" }],
    ["/api/adapters/echo/tools/add", { a: "x" }, 400, { code: "TOOL_VALIDATION_ERROR" }],
    ["/api/adapters/bank/tools/delete", { name: "a" }, 403, { code: "CONFIRMATION_REQUIRED" }],
    ["/api/adapters/echo/tools/reject", { code: -32000, message: "no" }, 502, { code: "TOOL_EXECUTION_ERROR" }],
  ])("to %s with %j is answered with %i", async (path, body, status, problem) => {
    const reply = await post(path, body);
    expect(reply.status).toBe(status);
    expect(reply.json).toMatchObject({
      ...problem,
      type: `urn:anygpt:error:${String(problem["code"])}`,
      status,
      title: expect.any(String),
      detail: expect.any(String),
      request_id: expect.any(String),
      retryable: false,
    });
  });

  it("can be confirmed by repeating it with the header that the hint names", async () => {
    const path = "/api/adapters/bank/tools/delete";
    const first = await post(path, { name: "bob" }, { "x-anygpt-confirmed": "true" });
    expect(first.json).toMatchObject({ code: "CONFIRMATION_REQUIRED", executed: "no" });
    expect(first.json["hint"]).toContain("X-AnyGPT-Confirmed: true");
    expect(bank.ledger()).toEqual([]);
    expect((await post(path, { name: "bob" }, { "x-anygpt-confirmed": "true" })).json).toMatchObject({ success: true });
    expect(bank.ledger()).toEqual(['delete {"name":"bob"}']);
  });

  it("runs once per idempotency key, and marks the stored answer", async () => {
    const path = "/api/adapters/bank/tools/create";
    const key = { "idempotency-key": "order-1" };
    const first = await post(path, { name: "carol" }, key);
    const second = await post(path, { name: "carol" }, key);
    expect(first.headers.has("idempotent-replayed")).toBe(false);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(second.json).toEqual({ ...first.json, replayed: true });
    expect(bank.ledger().filter((line) => line.includes("carol"))).toHaveLength(1);
    expect(await post(path, { name: "dave" }, key)).toMatchObject({
      status: 422,
      json: { code: "IDEMPOTENCY_CONFLICT" },
    });
  });

  it("supports a dry run", async () => {
    const { json } = await post("/api/adapters/bank/tools/create", { name: "erin" }, { "x-anygpt-dry-run": "true" });
    expect(json).toMatchObject({ success: true, result: { dry_run: true, would: "execute", risk: "medium" } });
    expect(bank.ledger().join()).not.toContain("erin");
  });

  it("ends after the timeout in its header", async () => {
    const reply = await post("/api/adapters/echo/tools/sleep", { ms: 60_000 }, { "x-anygpt-timeout": "1" });
    expect(reply).toMatchObject({ status: 504, json: { code: "TOOL_EXECUTION_TIMEOUT", executed: "unknown" } });
  });

  it("is recorded as an HTTP call of the local user", async () => {
    const { json } = await post("/api/adapters/echo/tools/add", { a: "x", b: 1 });
    const { persistence } = await rest.engine.stages();
    const entries = await persistence.store.audit.read({ after: 0, limit: 10_000 });
    const body = entries.map((entry) => JSON.parse(entry.body) as JsonObject);
    expect(body.find((entry) => entry["request_id"] === json["request_id"])).toMatchObject({
      surface: "http",
      actor_id: "local",
      tool_id: "echo:add",
    });
  });
});
