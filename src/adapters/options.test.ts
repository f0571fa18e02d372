import { describe, expect, it } from "vitest";
import { checkSchema } from "../util/document/schema.js";
import { compileAdapter } from "./compile.js";
import { adaptersOptions } from "./options.js";

const PLACES = { home: "/home/p", baseDir: "/home/p/.anygpt", origin: "/home/p/.anygpt/mcp-discovery.config.yaml" };

function compile(section: unknown) {
  return adaptersOptions.parse(section).map((entry) => compileAdapter(entry, PLACES));
}

describe("adaptersOptions", () => {
  it.each([
    ["a map", { pay: { document: "pay.yaml" } }],
    ["a list", [{ name: "pay", document: "pay.yaml" }]],
  ])("may be %s", (_, section) => {
    expect(compile(section)).toEqual([
      {
        name: "pay",
        connection: { kind: "rest", document: "/home/p/.anygpt/pay.yaml", headers: {}, uploads: [], operations: [] },
        manifest: [],
        facts: { capabilities: [], countries: [], currencies: [] },
        origin: PLACES.origin,
      },
    ]);
  });

  it("compiles to a server definition with every option", () => {
    const [server] = compile({
      pay: {
        document: "https://api.test/openapi.json",
        baseUrl: "https://api.test/v1",
        headers: { "X-Version": "2" },
        auth: { type: "bearer", token: "${PAY_TOKEN}" },
        idempotencyHeader: "Idempotency-Key",
        uploads: ["~/files", "here"],
        title: "Pay",
        description: "Takes money.",
        category: "payments",
        capabilities: ["charge"],
        countries: ["NG"],
        currencies: ["NGN"],
        documentation: "https://docs.test",
        operations: [
          { tools: "create-*", risk: "high" },
          { tools: ["a", "b"], idempotent: true, reversible: false, category: "c" },
        ],
      },
    });
    expect(server).toMatchObject({
      description: "Takes money.",
      connection: {
        document: "https://api.test/openapi.json",
        baseUrl: "https://api.test/v1",
        headers: { "X-Version": "2" },
        auth: { kind: "bearer", token: "${PAY_TOKEN}" },
        idempotencyHeader: "Idempotency-Key",
        uploads: ["/home/p/files", "/home/p/.anygpt/here"],
        operations: [
          { tools: ["create-*"], risk: "high" },
          { tools: ["a", "b"], idempotent: true, reversible: false, category: "c" },
        ],
      },
      facts: {
        title: "Pay",
        category: "payments",
        capabilities: ["charge"],
        countries: ["NG"],
        currencies: ["NGN"],
        documentation: "https://docs.test",
      },
    });
  });

  it.each([
    [
      { type: "basic", username: "${U}" },
      { kind: "basic", username: "${U}", password: "" },
    ],
    [
      { type: "apiKey", name: "X-Key", value: "${K}" },
      { kind: "api-key", in: "header", name: "X-Key", value: "${K}" },
    ],
    [
      { type: "oauth2", tokenUrl: "https://x.test/t", clientId: "i", clientSecret: "${S}" },
      { kind: "client-credentials", tokenUrl: "https://x.test/t", clientId: "i", clientSecret: "${S}", scopes: [] },
    ],
  ])("compiles the authentication %j", (auth, compiled) => {
    expect(compile({ a: { document: "a.json", auth } })[0]!.connection).toMatchObject({ auth: compiled });
  });

  it.each([
    [{ A: { document: "x" } }, "lower-case letters"],
    [{ a: {} }, "is missing"],
    [{ a: { document: "x", baseURL: "https://x.test" } }, 'did you mean "baseUrl"'],
    [{ a: { document: "x", baseUrl: "ftp://x" } }, "http://"],
    [{ a: { document: "x", baseUrl: "https://u:p@x.test" } }, "name and password"],
    [{ a: { document: "x", auth: { type: "bearer" } } }, "is missing"],
    [{ a: { document: "x", auth: { type: "magic" } } }, ""],
    [{ a: { document: "https://x.test/d", auth: { type: "bearer", token: "${T}" } } }, "comes from the web"],
    [{ a: { document: "https://x.test/d", headers: { Authorization: "Bearer ${T}" } } }, "comes from the web"],
    [{ a: { document: "${D}", auth: { type: "bearer", token: "${T}" } } }, "comes from the web"],
    [{ a: { document: "x", headers: { "a b": "c" } } }, "HTTP header"],
    [{ a: { document: "x", operations: [{ tools: "*", risk: "huge" }] } }, "must be one of"],
    [
      [
        { name: "a", document: "x" },
        { name: "a", document: "y" },
      ],
      "is the name of another adapter in the list",
    ],
  ])("rejects %j", (section, reason) => {
    const checked = checkSchema(adaptersOptions, section);
    const reasons = checked.kind === "violations" ? checked.violations.map((one) => one.reason).join("; ") : undefined;
    expect(reasons).toContain(reason);
  });
});
