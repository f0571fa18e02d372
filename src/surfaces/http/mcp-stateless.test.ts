import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askModern, modern, postMcp, REVISION } from "../../../test/support/mcp-http.js";
import { type Bank, createBank, openRest, PATIENT, type Rest } from "../../../test/support/rest.js";

let bank: Bank;
let rest: Rest;
beforeAll(async () => {
  bank = createBank();
  rest = await openRest({ servers: bank.servers }, {}, PATIENT);
});
afterAll(async () => {
  await rest.close();
  bank.remove();
});

const CREATE = { name: "execute_tool", arguments: { server: "bank", tool: "create", arguments: { name: "eve" } } };
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const encode = (text: string): string => `=?base64?${Buffer.from(text).toString("base64")}?=`;

type Change = (call: { body: Record<string, unknown>; headers: Record<string, string> }) => unknown;
const header =
  (name: string, value: string | undefined): Change =>
  ({ headers }) => {
    if (value === undefined) delete headers[name];
    else headers[name] = value;
  };
const meta =
  (change: (meta: Record<string, unknown>) => unknown): Change =>
  ({ body }) =>
    change((body["params"] as { _meta: Record<string, unknown> })._meta);
const both =
  (version: unknown): Change =>
  (call) => {
    meta((one) => (one[VERSION_KEY] = version))(call);
    call.headers["mcp-protocol-version"] = String(version);
  };

describe("a request of 2026-07-28", () => {
  it.each<[string, number, number, Change]>([
    ["lacks MCP-Protocol-Version", 400, -32020, header("mcp-protocol-version", undefined)],
    ["lacks Mcp-Method", 400, -32020, header("mcp-method", undefined)],
    ["lacks Mcp-Name", 400, -32020, header("mcp-name", undefined)],
    ["has another Mcp-Method", 400, -32020, header("mcp-method", "tools/list")],
    ["has an Mcp-Method in upper case", 400, -32020, header("mcp-method", "TOOLS/CALL")],
    ["has an empty Mcp-Method", 400, -32020, header("mcp-method", "")],
    ["has an Mcp-Method with a space inside", 400, -32020, header("mcp-method", "tools/ call")],
    ["has another Mcp-Name", 400, -32020, header("mcp-name", "search_tools")],
    ["has an Mcp-Name in upper case", 400, -32020, header("mcp-name", "EXECUTE_TOOL")],
    ["has an empty Mcp-Name", 400, -32020, header("mcp-name", "")],
    ["has another Mcp-Name in Base64", 400, -32020, header("mcp-name", encode("search_tools"))],
    ["has an Mcp-Name that is not Base64", 400, -32020, header("mcp-name", "=?base64?%%%?=")],
    ["has an Mcp-Name with truncated Base64", 400, -32020, header("mcp-name", "=?base64?ZXhlY3V0ZV90b29s")],
    ["has an Mcp-Name with another Base64 prefix", 400, -32020, header("mcp-name", "=?BASE64?ZXhlY3V0ZV90b29s?=")],
    ["names 2025-11-25 in the header", 400, -32020, header("mcp-protocol-version", "2025-11-25")],
    ["names an unknown revision in the header", 400, -32020, header("mcp-protocol-version", "2099-01-01")],
    ["has an invalid revision in the header", 400, -32020, header("mcp-protocol-version", "latest")],
    ["names the revision in the header twice", 400, -32020, header("mcp-protocol-version", `${REVISION}, ${REVISION}`)],
    ["names an unknown revision", 400, -32022, both("2099-01-01")],
    ["has an invalid revision", 400, -32022, both("latest")],
    ["has an old revision in its envelope", 400, -32022, both("2025-11-25")],
    ["has an older revision in its envelope", 400, -32022, both("2024-11-05")],
    ["has a number as its revision", 400, -32602, both(20260728)],
    ["has null as its revision", 400, -32602, both(null)],
    ["lacks its revision in the body", 400, -32602, meta((one) => delete one[VERSION_KEY])],
    ["lacks its capabilities", 400, -32602, meta((one) => delete one["io.modelcontextprotocol/clientCapabilities"])],
    [
      "has a string as its capabilities",
      400,
      -32602,
      meta((one) => (one["io.modelcontextprotocol/clientCapabilities"] = "all")),
    ],
    ["has no envelope", 400, -32602, ({ body }) => delete (body["params"] as Record<string, unknown>)["_meta"]],
    [
      "has an array as its envelope",
      400,
      -32600,
      ({ body }) => ((body["params"] as Record<string, unknown>)["_meta"] = []),
    ],
    ["has no params", 400, -32602, ({ body }) => delete body["params"]],
    ["has an array as params", 400, -32600, ({ body }) => (body["params"] = [])],
    ["has a string as params", 400, -32600, ({ body }) => (body["params"] = "x")],
    ["has no JSON-RPC version", 400, -32600, ({ body }) => delete body["jsonrpc"]],
    ["has the JSON-RPC version 1.0", 400, -32600, ({ body }) => (body["jsonrpc"] = "1.0")],
    ["has an array as its id", 400, -32600, ({ body }) => (body["id"] = [1])],
    ["has a fraction as its id", 400, -32600, ({ body }) => (body["id"] = 1.5)],
    ["has null as its id", 400, -32600, ({ body }) => (body["id"] = null)],
    ["has true as its id", 400, -32600, ({ body }) => (body["id"] = true)],
    ["has a number as its method", 400, -32600, ({ body }) => (body["method"] = 7)],
    [
      "is a response without a request",
      400,
      -32600,
      ({ body }) => {
        delete body["method"];
        delete body["params"];
        body["result"] = {};
      },
    ],
  ])("that %s gets the status %i and the code %i, and no tool runs", async (_, status, code, change) => {
    const call = modern("tools/call", CREATE, 7);
    change(call);
    const { answer, ...reply } = await postMcp(rest, call.body, call.headers);
    expect([reply.status, answer.error?.code]).toEqual([status, code]);
    expect(answer.error?.data?.["supported"]).toEqual(code === -32022 ? [REVISION] : undefined);
    expect([7, null]).toContain(answer.id);
    expect(bank.ledger()).toEqual([]);
  });

  it.each(["nope/nope", "initialize", "tools/nope", "sampling/createMessage", "elicitation/create", "roots/list"])(
    "with the unknown method %s gets 404 and -32601",
    async (method) => {
      const { status, answer } = await askModern(rest, method, {}, "a");
      expect([status, answer.error?.code, answer.id]).toEqual([404, -32601, "a"]);
    },
  );

  it.each([
    ["an exact name", "execute_tool"],
    ["a name in Base64", encode("execute_tool")],
    ["spaces around the name", "  execute_tool "],
  ])("is accepted with %s in Mcp-Name", async (_, name) => {
    const call = modern("tools/call", { ...CREATE, arguments: { ...CREATE.arguments, tool: "look" } });
    const { status, answer } = await postMcp(rest, call.body, { ...call.headers, "mcp-name": name });
    expect([status, answer.result?.content?.[0]?.text]).toEqual([200, "look: eve"]);
  });

  it.each([0, 1, -1, "", "1", "ü", Number.MAX_SAFE_INTEGER])("keeps its id %j", async (id) => {
    expect((await askModern(rest, "tools/list", {}, id)).answer.id).toBe(id);
  });

  it("in a batch gets 400, and no tool runs", async () => {
    const { body, headers } = modern("tools/call", CREATE);
    for (const batch of [[body], [body, body], [body, { jsonrpc: "2.0", id: 2, method: "tools/list" }]]) {
      const { status, answer } = await postMcp(rest, batch, headers);
      expect([status, answer.error?.code]).toEqual([400, -32600]);
    }
    expect(bank.ledger()).toEqual([]);
  });
});

describe("without a session", () => {
  it.each(["GET", "DELETE", "HEAD", "PUT", "PATCH"])("%s is not allowed", async (method) => {
    for (const version of [{}, { "mcp-protocol-version": REVISION }, { "mcp-protocol-version": "2025-06-18" }]) {
      const { status, headers } = await fetch(`${rest.url}/mcp`, {
        method,
        headers: { authorization: `Bearer ${rest.token}`, accept: "text/event-stream", ...version },
      });
      expect(status).toBe(405);
      expect(headers.get("allow")).toContain("POST");
    }
  });

  it.each<[string, unknown]>([
    ["a request", { jsonrpc: "2.0", id: 1, method: "tools/call", params: CREATE }],
    ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }],
    ["an answer", { jsonrpc: "2.0", id: 1, result: {} }],
    ["a failure", { jsonrpc: "2.0", id: 1, error: { code: 1, message: "x" } }],
    ["a batch", [{ jsonrpc: "2.0", id: 1, method: "tools/call", params: CREATE }]],
    ["an empty batch", []],
    ["an array of invalid messages", [1, "x", null]],
    ["a number", 1],
    ["a string", '"x"'],
    ["null", "null"],
    ["an empty body", ""],
    ["an incomplete object", '{"jsonrpc":"2.0"'],
    ["two objects", '{"jsonrpc":"2.0","id":1,"method":"ping"}{}'],
  ])("%s is rejected with 400, and no tool runs", async (_, body) => {
    const { status, answer } = await postMcp(rest, body);
    expect(status).toBe(400);
    expect([-32700, -32600]).toContain(answer.error?.code);
    expect(bank.ledger()).toEqual([]);
  });
});

describe("ambiguous JSON", () => {
  const raw = (args: string): string =>
    JSON.stringify(modern("tools/call", CREATE).body).replace('{"name":"eve"}', args);

  it.each([
    ["a duplicate key", '{"name":"eve","name":"adam"}', "/params/arguments/arguments/name"],
    ["an integer that is too large", '{"name":9007199254740993}', "/params/arguments/arguments/name"],
    ["a number that is too large", '{"name":1e400}', "/params/arguments/arguments/name"],
    ["a lone surrogate", '{"name":"\\ud800"}', "/params/arguments/arguments/name"],
    ["U+0000", '{"name":"a\\u0000b"}', "/params/arguments/arguments/name"],
    ["__proto__", '{"__proto__":{"name":"eve"}}', "/params/arguments/arguments/__proto__"],
  ])("in arguments is reported to the model: %s", async (_, args, pointer) => {
    const { status, answer } = await postMcp(rest, raw(args), modern("tools/call", CREATE).headers);
    expect([status, answer.result?.isError]).toEqual([200, true]);
    const { error } = JSON.parse(answer.result?.content?.[0]?.text ?? "{}") as { error: Record<string, unknown> };
    expect(error).toMatchObject({
      code: expect.stringMatching(/TOOL_VALIDATION_ERROR|INVALID_REQUEST/),
    });
    expect(JSON.stringify(error)).toContain(pointer.split("/").at(-1));
    expect(bank.ledger()).toEqual([]);
  });

  it("outside arguments is reported to the client", async () => {
    const { headers } = modern("tools/call", CREATE);
    const text = JSON.stringify(modern("tools/call", CREATE).body);
    for (const body of [
      text.replace('"name":"execute_tool"', '"name":"search_tools","name":"execute_tool"'),
      text.replace('"id":1', '"id":1,"id":2'),
      text.replace('"id":1', '"id":9007199254740993'),
      text.replace('"method":"tools/call"', '"method":"tools/list","method":"tools/call"'),
    ]) {
      const { status, answer } = await postMcp(rest, body, headers);
      expect([status, answer.error?.code]).toEqual([400, -32600]);
    }
    expect(bank.ledger()).toEqual([]);
  });

  it.each([
    ["65 levels", `{"name":${"[".repeat(90)}${"]".repeat(90)}}`],
    ["10,000 levels", `{"name":${"[".repeat(10_000)}${"]".repeat(10_000)}}`],
    ["500,000 levels", `{"name":${"[".repeat(500_000)}${"]".repeat(500_000)}}`],
    [
      "100,000 keys",
      `{${Array.from({ length: 70_000 }, (_, key) => `"k${key}":1`).join(",")},"name":[${"1,".repeat(40_000)}1]}`,
    ],
  ])("is rejected as a whole if it exceeds a limit: %s", async (_, args) => {
    const { status, answer } = await postMcp(rest, raw(args), modern("tools/call", CREATE).headers);
    expect([status, answer.error?.code]).toEqual([400, -32600]);
    expect(bank.ledger()).toEqual([]);
  });

  it("over 1 MiB is rejected without being read", async () => {
    const { status } = await postMcp(rest, raw(`{"name":"${"x".repeat(1024 * 1024)}"}`));
    expect(status).toBe(413);
    expect((await askModern(rest, "tools/list")).status).toBe(200);
  });
});

describe("a body that a browser sends without a preflight request", () => {
  it.each([
    undefined,
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json; charset=utf-16",
    "text/plain; application/json",
    "application/jsonx",
  ])("as %s is rejected with 415", async (type) => {
    const { body, headers } = modern("tools/call", CREATE);
    const answer = await rest.raw(
      [
        "POST /mcp HTTP/1.1",
        "Host: localhost",
        `Authorization: Bearer ${rest.token}`,
        "Connection: close",
        ...(type === undefined ? [] : [`Content-Type: ${type}`]),
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
        `Content-Length: ${Buffer.byteLength(JSON.stringify(body))}`,
        "",
        JSON.stringify(body),
      ].join("\r\n"),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 415 /);
    expect(bank.ledger()).toEqual([]);
  });
});
