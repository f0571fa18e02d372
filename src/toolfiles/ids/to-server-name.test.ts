import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isServerName } from "./server-name.js";
import { serverNameOfId } from "./to-server-name.js";

describe("toServerName", () => {
  it.each([
    ["https://mcp.context7.com/mcp", "context7"],
    ["https://mcp.brave.com/search", "brave"],
    ["https://docs.mcp.cloudflare.com/sse", "cloudflare"],
    ["https://mcp.example.co.uk/", "example"],
    ["https://weather-mcp.someone.workers.dev/sse", "weather"],
    ["https://weather-mcp.vercel.app/mcp", "weather"],
    ["http://127.0.0.1:4000/github/mcp", "github"],
    ["http://localhost:4000/mcp", "server"],
    ["http://[::1]:4000/mcp", "server"],
    ["npx -y @modelcontextprotocol/server-filesystem /home/user/docs", "filesystem"],
    ["npx -y @modelcontextprotocol/server-sequential-thinking@2026.1.1", "sequential-thinking"],
    ["npx @playwright/mcp@latest", "playwright"],
    ["npx -y mcp-remote https://mcp.linear.app/mcp", "linear"],
    ["github-mcp-server stdio", "github"],
    ["uvx mcp-server-git --repository /x", "git"],
    ["uv --directory /home/me/weather run server.py", "weather"],
    ["python3 -m mcp_server_time", "time"],
    ["/usr/bin/python3.12 -m mcp_server_time", "time"],
    ["node /opt/weather/dist/index.js", "weather"],
    ["docker run -i --rm -e GITHUB_TOKEN ghcr.io/github/github-mcp-server:v1", "github"],
    ["docker run -i mcp/fetch", "fetch"],
    ["C:\\tools\\weather-server.exe", "weather"],
    ["", "server"],
    ["npx", "server"],
  ])("converts %s to %s", (given, name) => {
    expect(serverNameOfId(given)).toBe(name);
  });

  it("accepts the words of a command line", () => {
    expect(serverNameOfId(["node", "/my servers/weather/main.js"])).toBe("weather");
  });

  it("always returns a valid name", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.string().map((rest) => `https://${rest}`),
          fc.array(fc.string()),
        ),
        (given) => {
          expect(isServerName(serverNameOfId(given))).toBe(true);
        },
      ),
    );
  });
});

it.each([
  ["context7", true],
  ["brave-search", true],
  ["x", true],
  ["x".repeat(41), false],
  ["-x", false],
  ["x_", false],
  ["Context7", false],
  ["a:b", false],
  ["a\n", false],
  ["", false],
])("isServerName(%j) is %s", (value, expected) => {
  expect(isServerName(value)).toBe(expected);
});
