import { describe, expect, it } from "vitest";
import { knownHost, knownProgram } from "./known-servers.js";
import { type DiscoveryTargetOptions, toTarget, variableFor } from "./target.js";

const url = (address: string): DiscoveryTargetOptions["address"] => ({ kind: "url", url: address });
const command = (...words: string[]): DiscoveryTargetOptions["address"] => ({ kind: "command", words });

describe("toTarget", () => {
  it("sends the variable as a bearer token in Authorization, and unchanged in other headers", () => {
    const address = url("https://api.example.com/mcp");
    const bearer = toTarget({ address, name: "my-api", authHeader: "Authorization" });
    expect(bearer).toEqual({
      name: "my-api",
      connection: {
        kind: "http",
        url: "https://api.example.com/mcp",
        headers: { Authorization: "Bearer ${MY_API_TOKEN}" },
      },
      needs: [{ name: "MY_API_TOKEN", description: "Token for my-api", header: "Authorization", required: true }],
    });
    const other = toTarget({ address, name: "my-api", authHeader: "X-Key", authEnv: "THEIR_KEY" });
    expect(other.connection).toMatchObject({ headers: { "X-Key": "${THEIR_KEY}" } });
  });

  it("uses the documented authentication of a server unless the user gives another", () => {
    const address = url("https://mcp.context7.com/mcp");
    expect(toTarget({ address })).toMatchObject({
      name: "context7",
      connection: { headers: { CONTEXT7_API_KEY: "${CONTEXT7_API_KEY}" } },
      needs: [
        { name: "CONTEXT7_API_KEY", description: "API key from https://context7.com/dashboard", required: false },
      ],
    });
    const own = toTarget({ address, authHeader: "Authorization", authEnv: "C7" });
    expect(own.connection).toMatchObject({ headers: { Authorization: "Bearer ${C7}" } });
    expect(own.needs).toMatchObject([{ name: "C7", required: true }]);
  });

  it("gives a program the variable that it reads", () => {
    const known = toTarget({ address: command("npx", "-y", "@modelcontextprotocol/server-github@2025.4.8") });
    expect(known).toMatchObject({
      name: "github",
      connection: {
        kind: "stdio",
        command: "npx",
        env: { GITHUB_PERSONAL_ACCESS_TOKEN: "${GITHUB_PERSONAL_ACCESS_TOKEN}" },
      },
      needs: [{ name: "GITHUB_PERSONAL_ACCESS_TOKEN" }],
    });
    expect(toTarget({ address: command("weather"), authEnv: "W" }).connection).toMatchObject({ env: { W: "${W}" } });
  });

  it("declares the variables of every header, each once", () => {
    const headers = { "X-Org": "${ORG}", "X-Plain": "a", "X-Both": "${ORG}-${KEY}" };
    const target = toTarget({ address: url("https://x.example"), name: "x", authEnv: "KEY", headers });
    expect(target.needs.map(({ name, header }) => [name, header])).toEqual([
      ["KEY", "Authorization"],
      ["ORG", "X-Org"],
    ]);
    expect(target.connection).toMatchObject({ headers: { ...headers, Authorization: "Bearer ${KEY}" } });
  });

  it.each<[string, DiscoveryTargetOptions]>([
    ["a password in the URL", { address: url("https://a:b@x.example") }],
    ["a variable in the URL", { address: url("https://x.example/${KEY}") }],
    ["a URL with another protocol", { address: url("file:///etc/passwd") }],
    ["an invalid header name", { address: url("https://x.example"), authHeader: "X Key" }],
    [
      "a header that is set twice",
      { address: url("https://x.example"), authEnv: "K", headers: { authorization: "x" } },
    ],
    ["an invalid variable name", { address: url("https://x.example"), authEnv: "a-b" }],
    ["an empty command", { address: command() }],
    ["a variable in a command", { address: command("x", "${HOME}") }],
    ["an invalid variable name for a program", { address: command("x"), authEnv: "A B" }],
  ])("rejects %s", (_case, options) => {
    expect(() => toTarget(options)).toThrow(expect.objectContaining({ code: "INVALID_REQUEST" }));
  });
});

it.each([
  ["context7", "CONTEXT7_API_KEY", "CONTEXT7_API_KEY"],
  ["my-api", "authorization", "MY_API_TOKEN"],
  ["7up", "X-Key", "_7UP_API_KEY"],
])("variableFor(%s, %s) is %s", (name, header, variable) => {
  expect(variableFor(name, header)).toBe(variable);
});

it("does not recognize a similar host or package as a known server", () => {
  expect(knownHost("https://MCP.Context7.com/x")).toBeDefined();
  expect(knownHost("http://mcp.context7.com/x")).toBeUndefined();
  expect(knownHost("https://mcp.context7.com.evil.example/x")).toBeUndefined();
  expect(knownProgram(["docker", "run", "ghcr.io/github/github-mcp-server:v1"])).toBeDefined();
  expect(knownProgram(["npx", "server-github"])).toBeUndefined();
});
