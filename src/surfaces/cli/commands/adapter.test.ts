import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace, type Ran, type RunOptions } from "../../../../test/support/cli.js";

const CONFIG = ".anygpt/mcp-discovery.config.yaml";
const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Shop", version: "1.0" },
  servers: [{ url: "https://shop.test/v1" }],
  security: [{ key: [] }],
  components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } },
  paths: {
    "/orders": {
      get: {
        operationId: "listOrders",
        tags: ["Orders"],
        summary: "List orders",
        parameters: [{ name: "X-Key", in: "header", required: true }],
      },
      post: { operationId: "createOrder", tags: ["Orders"], deprecated: true },
    },
    "/ping": { get: { operationId: "ping", security: [] } },
    "/bad": { get: { operationId: "bad", parameters: [{ $ref: "other.yaml" }] } },
  },
};

let place: CliPlace;
let server: Server | undefined;
const asked: string[] = [];

beforeEach(() => {
  place = createCliPlace();
  place.write("shop.json", DOCUMENT);
  asked.length = 0;
});
afterEach(async () => {
  place.remove();
  await new Promise((done) => (server === undefined ? done(undefined) : server.close(done)));
  server = undefined;
});

const run = (...argv: string[]): Promise<Ran> => runWith({}, ...argv);
const runWith = (options: RunOptions, ...argv: string[]): Promise<Ran> =>
  place.runWith(
    { ...options, env: { ANYGPT_HOME: join(place.folder, ".anygpt"), ...options.env } },
    "mcp",
    "adapter",
    ...argv,
  );
const config = (): string => readFileSync(join(place.folder, CONFIG), "utf8");

async function listen(): Promise<string> {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${String(request.headers["x-key"])}`);
    response.writeHead(request.method === "HEAD" ? 404 : 200, { "content-type": "application/json" });
    response.end(request.method === "HEAD" ? undefined : "[]");
  });
  await new Promise<void>((done) => server?.listen(0, "127.0.0.1", done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("adapter add", () => {
  it("shows the planned changes and writes nothing without a terminal or --yes", async () => {
    const { exit, stdout } = await run("add", "shop", "--document", "shop.json");
    expect(exit).toBe(0);
    expect(stdout).toBe(`Shop: 3 operations (OpenAPI 3.1)
  ! 1 operation left out
  requires a key in the header X-Key
  ! No authentication is configured. Add --auth header:X-Key:SHOP_KEY.

For ~/.anygpt/mcp-discovery.config.yaml:
  {
    "adapters": {
      "shop": {
        "document": "~/shop.json"
      }
    }
  }

Nothing was written. Add --yes to write.
`);
  });

  it("adds to the configuration, whose other bytes stay", async () => {
    const before = "# mine\nservers: {}\n\nadapters:\n  # the first\n  other:\n    document: x.json\n";
    place.write(CONFIG, before);
    const auth = ["--auth", "header:X-Key:SHOP_KEY", "--base-url", "https://shop.test/v2", "--category", "shops"];
    const { exit, stdout } = await run(
      "add",
      "shop",
      "--document",
      "shop.json",
      ...auth,
      "--idempotency-header",
      "Idempotency-Key",
      "--yes",
    );
    expect([exit, stdout.includes("shop was written.")]).toEqual([0, true]);
    expect(config().startsWith(before)).toBe(true);
    const { adapters } = (await import("yaml")).parse(config()) as { adapters: Record<string, unknown> };
    expect(adapters["shop"]).toEqual({
      document: "~/shop.json",
      baseUrl: "https://shop.test/v2",
      auth: { type: "apiKey", in: "header", name: "X-Key", value: "${SHOP_KEY}" },
      idempotencyHeader: "Idempotency-Key",
      category: "shops",
    });
  });

  it("creates a missing configuration, readable only by its owner, and prints JSON", async () => {
    const ran = await run("add", "shop", "--document", "shop.json", "--yes", "--json");
    const file = join(place.folder, ".anygpt/mcp-discovery.config.yaml");
    expect(ran.json()).toMatchObject({
      name: "shop",
      config: file,
      written: true,
      operations: 3,
      wantedAuth: [{ kind: "api-key", in: "header", name: "X-Key" }],
    });
    expect(readFileSync(file, "utf8")).toMatch(
      /^sources: all$[^]*^adapters:\n {2}shop:\n {4}document: ~\/shop\.json$/m,
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("asks at a terminal", async () => {
    const { stdout } = await runWith({ isTerminal: true, stdin: "no\n" }, "add", "shop", "--document", "shop.json");
    expect(stdout).toContain("Nothing was written.");
  });

  it.each([
    [
      "a secret in place of a variable",
      ["--auth", "bearer:sk-1234-secret"],
      "The value of --auth is invalid for bearer.",
    ],
    ["an unknown type", ["--auth", "magic:X"], "The value of --auth is invalid."],
    ["an address that is none", ["--base-url", "ftp://x"], "must be a URL"],
    ["a name that is taken", [], 'already has a server or adapter named "taken"'],
  ])("refuses %s", async (what, more, message) => {
    place.write(CONFIG, "adapters:\n  taken:\n    document: x.json\n");
    const name = what.startsWith("a name") ? "taken" : "shop";
    const { exit, stderr } = await run("add", name, "--document", "shop.json", "--yes", ...more);
    expect([exit, stderr.includes(message)]).toEqual([1, true]);
    expect(stderr).not.toContain("sk-1234");
    expect(config()).not.toContain("shop");
  });

  it("rejects a missing or empty document", async () => {
    const none = await run("add", "shop", "--document", "none.json", "--yes");
    expect([none.exit, none.stderr.includes("there is no such file")]).toEqual([3, true]);
    place.write("page.html", "<html></html>");
    const page = await run("add", "shop", "--document", "page.html", "--yes");
    expect([page.exit, page.stderr.includes("not an object")]).toEqual([2, true]);
  });

  it("shows what to add to a configuration that is a program, and never writes it", async () => {
    const program = "export default { servers: {} };\n";
    place.write("own.config.mjs", program);
    const { exit, stdout, stderr } = await run(
      "add",
      "shop",
      "--document",
      "shop.json",
      "--yes",
      "--config",
      "own.config.mjs",
    );
    expect(exit).toBe(2);
    expect(stdout).toContain('"document": "~/shop.json"');
    expect(stderr).toContain("is a program, so it was not changed. Add the adapter to it yourself.");
    expect(readFileSync(join(place.folder, "own.config.mjs"), "utf8")).toBe(program);
  });
});

describe("an adapter of the configuration", () => {
  const AUTH = "    auth: {type: apiKey, name: X-Key, value: '${SHOP_KEY}'}\n";
  const write = (more = ""): string =>
    place.write(CONFIG, `adapters:\n  shop:\n    document: ~/shop.json\n${AUTH}${more}`);

  it("is listed without reading its document", async () => {
    write();
    expect((await run("list")).stdout).toBe(`Adapters (1):
  ✗ shop: not read yet
      ${join(place.folder, "shop.json")}
      not set: SHOP_KEY
`);
    expect((await runWith({ env: { SHOP_KEY: "k" } }, "list", "--json")).json()).toMatchObject({
      adapters: [{ name: "shop", tools: null, missingVariables: [], auth: "api-key" }],
    });
  });

  it("is inspected: operations by category, authentication, omitted operations", async () => {
    write("    operations:\n      - {tools: [create-*, creat-order], risk: high}\n");
    expect((await run("inspect", "shop")).stdout).toBe(`shop (Shop 1.0)
  document: ${join(place.folder, "shop.json")} (OpenAPI 3.1)
  URL: https://shop.test/v1
  3 operations

Authentication
  configured: api-key
  required by the document: a key in the header X-Key
  ✗ SHOP_KEY: not set

Orders (2)
  list-orders: GET /orders
  create-order: POST /orders (risk high, deprecated)

Without a category (1)
  ping: GET /ping

Left out (1)
  ! GET /bad: refers to "other.yaml", which is outside the document

Settings without an operation (1)
  ! creat-order: this pattern in \`operations\` matches no operation and has no effect
`);
  });

  it("is inspected as JSON, and no value of a variable is in it", async () => {
    write();
    const ran = await runWith({ env: { SHOP_KEY: "canary-value" } }, "inspect", "shop", "--json");
    expect(ran.json()).toMatchObject({
      operations: 3,
      auth: { configured: "api-key", variables: [{ name: "SHOP_KEY", status: "set" }] },
      dropped: [{ name: "GET /bad" }],
    });
    expect(ran.stdout).not.toContain("canary-value");
  });

  it("that does not exist is reported with the nearest name", async () => {
    write();
    const { exit, stderr } = await run("inspect", "shp");
    expect([exit, stderr.includes("Did you mean shop?")]).toEqual([2, true]);
  });

  it("is tested without a request unless the user agrees to one", async () => {
    write(`    baseUrl: ${await listen()}\n    operations:\n      - {tools: creat-order, risk: high}\n`);
    const { exit, stdout } = await run("test", "shop");
    expect(exit).toBe(3);
    expect(stdout).toContain("! operations: no operation is named creat-order");
    expect(stdout).toContain("document: OpenAPI 3.1, 3 operations, 1 dropped");
    expect(stdout).toContain("variable SHOP_KEY: not set");
    expect(stdout).toContain("not checked; --yes sends HEAD");
    expect(asked).toEqual([]);
  });

  it("is tested with one HEAD that carries no credentials", async () => {
    write(`    baseUrl: ${await listen()}/v1\n`);
    const { exit, stdout } = await runWith({ env: { SHOP_KEY: "canary-value" } }, "test", "shop", "--yes");
    expect([exit, asked]).toEqual([0, ["HEAD /v1 undefined"]]);
    expect(stdout).toContain("answers (HTTP 404 to HEAD)");
  });

  it("is tested by one call of a tool that only reads", async () => {
    write(`    baseUrl: ${await listen()}\n`);
    const { exit, stdout } = await runWith(
      { env: { SHOP_KEY: "canary-value" } },
      "test",
      "shop",
      "list-orders",
      "--yes",
    );
    expect([exit, asked]).toEqual([0, ["GET /orders canary-value"]]);
    expect(stdout).toContain("call of list-orders: the tool returned a result");
  });

  it.each([
    ["create-order", 1, "it requires arguments or is not read-only"],
    ["none", 2, 'has no tool "none"'],
  ])("is not tested by %s", async (tool, exit, message) => {
    write();
    const ran = await run("test", "shop", tool, "--yes");
    expect([ran.exit, ran.stderr.includes(message)]).toEqual([exit, true]);
  });

  it.each([
    ["a variable that is not set", "${SHOP_BASE}/v1", {}],
    ["a variable without a scheme", "${SHOP_BASE}", { SHOP_BASE: "shop.test/v1" }],
    ["a variable with another scheme", "${SHOP_BASE}", { SHOP_BASE: "localhost:80/v1" }],
  ])("whose address is %s fails that check, and its document is read", async (_, baseUrl, env) => {
    write(`    baseUrl: "${baseUrl}"\n`);
    for (const tool of [[], ["list-orders"]]) {
      const ran = await runWith({ env: { SHOP_KEY: "k", ...env } }, "test", "shop", ...tool, "--yes", "--json");
      expect(ran.exit).toBe(3);
      expect(ran.json()).toMatchObject({
        checks: expect.arrayContaining([
          expect.objectContaining({ name: "document", status: "notice" }),
          expect.objectContaining({ name: "address", status: "failed" }),
        ]),
      });
    }
  });

  it("whose document cannot be read fails its test", async () => {
    place.write(CONFIG, "adapters:\n  shop:\n    document: ~/gone.json\n");
    const { exit, stdout } = await run("test", "shop");
    expect([exit, stdout.includes("there is no such file")]).toEqual([3, true]);
  });

  it("that is missing is reported with the command to add one", async () => {
    expect((await run("list")).stdout).toContain("No adapter is configured.");
  });
});
