import { expect, it } from "vitest";
import { isGatewayItself } from "./itself.js";

it.each<[boolean, string, string[]]>([
  [true, "npx", ["-y", "@anygpt/discovery"]],
  [true, "npx", ["-y", "@anygpt/discovery@latest"]],
  [true, "npx", ["--package=@anygpt/discovery", "discovery"]],
  [true, "docker", ["run", "-i", "--rm", "anygpt/discovery"]],
  [true, "/usr/bin/podman", ["run", "ghcr.io/anygpt/discovery:1"]],
  [true, "node", ["/x/node_modules/@anygpt/discovery/bin/discovery.js"]],
  [true, "anygpt", ["mcp", "serve"]],
  [true, "C:\\npm\\anygpt.cmd", ["mcp", "serve"]],
  [false, "anygpt", ["mcp", "list"]],
  [false, "npx", ["-y", "@anygpt/discovery-extras"]],
  [false, "npx", ["-y", "@modelcontextprotocol/server-filesystem", "/src/anygpt/discovery"]],
  [false, "node", ["discovery.js"]],
])("is %s for %s %j", (expected, command, args) => {
  expect(isGatewayItself({ kind: "stdio", command, args, env: {} })).toBe(expected);
});

it("is false for a remote server", () => {
  expect(isGatewayItself({ kind: "http", url: "http://x/@anygpt/discovery", headers: {} })).toBe(false);
});
