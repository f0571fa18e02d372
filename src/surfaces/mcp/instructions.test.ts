import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import type { ServerDefinition } from "../../model/server.js";
import { toInstructions } from "./instructions.js";

const server = (name: string, description?: string): ServerDefinition => ({
  name,
  ...(description === undefined ? {} : { description }),
  connection: { kind: "stdio", command: "x", args: [], env: {} },
  manifest: [],
  origin: "inline",
});

const GATEWAY_NAMES = ["intent", "execute", "adapters", "tools", "reference"].map((name) => `gateway.${name}`);
const NAMES = ["list_mcp_servers", "search_tools", "list_tools", "get_tool_details", "execute_tool"];

describe("instructions", () => {
  it.each([
    ["the profile discovery", NAMES, "find tools with search_tools and run them with execute_tool."],
    ["the profile gateway", GATEWAY_NAMES, "find tools with gateway.intent and run them with gateway.execute."],
    ["full mode", [], "Search its tools for a task that concerns one of them."],
  ])("say in %s when to use the gateway, before they name the servers", (_, names, how) => {
    const text = toInstructions([server("github", "GitHub API")], names);
    expect(text).toMatch(/^Gateway to other MCP servers[.;] .*a task that concerns one of them/);
    expect(text).toContain(`${how} Servers: github (GitHub API).`);
  });

  it("name the servers with their descriptions", () => {
    expect(toInstructions([server("github", "GitHub API"), server("fs")], NAMES)).toMatch(
      /Servers: github \(GitHub API\), fs\.$/,
    );
  });

  it("state the number of servers if they do not fit", () => {
    const text = toInstructions(
      Array.from({ length: 500 }, (_, n) => server(`server-${n}`, "Something useful")),
      NAMES,
    );
    expect(text).toMatch(/ 500 servers: server-0, .* and \d+ more \(list_mcp_servers\)\.$/);
  });

  it.each([
    ["no server", []],
    ["a server with a long description", [server("a", "word ".repeat(200))]],
    ["many servers with non-Latin names", Array.from({ length: 300 }, (_, n) => server(`Ünïcödé-服务器-${n}`))],
    ["a server with a long name", [server("x9Q_".repeat(16))]],
  ])("stay within 150 tokens for %s", (_, servers) => {
    expect(encode(toInstructions(servers, NAMES)).length).toBeLessThanOrEqual(150);
  });

  it("contain no line breaks of descriptions", () => {
    expect(toInstructions([server("a", "one\n\ntwo")], NAMES)).not.toContain("\n");
  });
});
