import { describe, expect, it } from "vitest";
import type { ServerConnection } from "../model/server.js";
import { unwrapRemote } from "./unwrap.js";

const stdio = (command: string, args: string[], env: Record<string, string> = {}): ServerConnection => ({
  kind: "stdio",
  command,
  args,
  env,
});
const http = (url: string, headers: Record<string, string> = {}): ServerConnection => ({ kind: "http", url, headers });

const URL = "https://mcp.example.com/mcp";

describe("a wrapper around a remote server", () => {
  it.each<[string, string, string[], ServerConnection]>([
    ["npx", "npx", ["mcp-remote", URL], http(URL)],
    ["npx -y with a version", "npx", ["-y", "mcp-remote@latest", URL], http(URL)],
    ["a port for the login", "npx", ["-y", "mcp-remote", URL, "3334"], http(URL)],
    ["a header", "npx", ["mcp-remote", URL, "--header", "X-Key: abc"], http(URL, { "X-Key": "abc" })],
    ["a header without spaces", "npx", ["mcp-remote", URL, "--header", "X-Key:abc"], http(URL, { "X-Key": "abc" })],
    ["an option with =", "npx", ["mcp-remote", URL, "--header=X-Key: a=b"], http(URL, { "X-Key": "a=b" })],
    ["sse only", "npx", ["mcp-remote", URL, "--transport", "sse-only"], { kind: "sse", url: URL, headers: {} }],
    ["http first", "npx", ["mcp-remote", URL, "--transport", "http-first", "--allow-http", "--debug"], http(URL)],
    ["bunx", "bunx", ["mcp-remote", URL], http(URL)],
    ["bun x", "bun", ["x", "mcp-remote", URL], http(URL)],
    ["pnpm dlx", "pnpm", ["dlx", "mcp-remote", URL], http(URL)],
    ["yarn dlx", "yarn", ["dlx", "-q", "mcp-remote", URL], http(URL)],
    ["npm exec", "npm", ["exec", "--yes", "--", "mcp-remote", URL], http(URL)],
    ["cmd", "cmd", ["/c", "npx", "-y", "mcp-remote", URL], http(URL)],
    ["cmd in one text", "cmd.exe", ["/C", `npx -y mcp-remote ${URL}`], http(URL)],
    ["a shell", "bash", ["-lc", `exec npx -y mcp-remote ${URL} --header "A: b c"`], http(URL, { A: "b c" })],
    ["npx on Windows", "C:\\Program Files\\nodejs\\npx.cmd", ["-y", "mcp-remote", URL], http(URL)],
    ["its bin", "/usr/local/bin/mcp-remote", [URL], http(URL)],
    ["node", "node", ["/x/node_modules/mcp-remote/dist/proxy.js", URL], http(URL)],
    ["a variable as the URL", "npx", ["mcp-remote", "${MCP_URL}"], http("${MCP_URL}")],
    ["supergateway", "npx", ["-y", "supergateway", "--sse", URL], { kind: "sse", url: URL, headers: {} }],
    [
      "supergateway with a token",
      "npx",
      ["-y", "supergateway", "--streamableHttp", URL, "--oauth2Bearer", "t", "--logLevel", "none"],
      http(URL, { Authorization: "Bearer t" }),
    ],
    [
      "mcp-proxy",
      "uvx",
      ["mcp-proxy", "--transport", "streamablehttp", "-H", "X-Key", "abc", URL],
      http(URL, { "X-Key": "abc" }),
    ],
  ])("is replaced by the server: %s", (_, command, args, expected) => {
    expect(unwrapRemote(stdio(command, args)).connection).toEqual(expected);
  });

  it.each<[string, string, string[]]>([
    ["is an argument of another program", "npx", ["-y", "some-server", "mcp-remote", URL]],
    ["has no URL", "npx", ["mcp-remote"]],
    ["has a URL with another scheme", "npx", ["mcp-remote", "file:///etc/passwd"]],
    ["has an unknown option", "npx", ["mcp-remote", URL, "--static-oauth-client-info", "{}"]],
    ["has two URLs", "npx", ["mcp-remote", URL, "https://other"]],
    ["has a header without a colon", "npx", ["mcp-remote", URL, "--header", "X-Key"]],
    ["wraps a local server", "npx", ["-y", "supergateway", "--stdio", "uvx mcp-server-git"]],
  ])("is not replaced if it %s", (_, command, args) => {
    const connection = stdio(command, args);
    expect(unwrapRemote(connection).connection).toBe(connection);
  });

  it("expands the headers from its environment, and reports unused variables", () => {
    const { connection, notes } = unwrapRemote(
      stdio("npx", ["mcp-remote", URL, "--header", "Authorization:${AUTH}", "--header", "X: ${OTHER}"], {
        AUTH: "Bearer ${TOKEN}",
        HTTPS_PROXY: "http://proxy",
      }),
    );
    expect(connection).toEqual(http(URL, { Authorization: "Bearer ${TOKEN}", X: "${OTHER}" }));
    expect(notes[1]).toBe("The variables HTTPS_PROXY were for mcp-remote and are not used.");
  });

  it("hides the tools of --ignore-tool", () => {
    const args = ["mcp-remote", URL, "--ignore-tool", "delete*", "--ignore-tool", "drop"];
    expect(unwrapRemote(stdio("npx", args)).deniedTools).toEqual(["delete*", "drop"]);
  });

  it("reports the option that prevents the replacement, without its value", () => {
    const { notes } = unwrapRemote(stdio("npx", ["mcp-remote", URL, "--secret=hunter2"]));
    expect(notes).toEqual(["mcp-remote is still used, because of its option --secret."]);
  });

  it("leaves a remote server unchanged", () => {
    expect(unwrapRemote(http(URL)).connection).toEqual(http(URL));
  });
});
