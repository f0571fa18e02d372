import { describe, expect, it } from "vitest";
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
  [true, "anygpt", ["mcp", "--config", "x.json", "serve"]],
  [true, "anygpt", ["--json", "mcp", "serve"]],
  [true, "npx", ["anygpt", "mcp", "serve"]],
  [true, "npx", ["-p", "@anygpt/discovery", "discovery"]],
  [true, "bunx", ["@anygpt/discovery"]],
  [true, "pnpm", ["dlx", "@anygpt/discovery@1.2.3"]],
  [true, "sh", ["-c", "npx -y @anygpt/discovery"]],
  [true, "/bin/bash", ["-lc", "cd /x && exec 'anygpt' mcp serve"]],
  [true, "cmd.exe", ["/c", "npx", "-y", "@anygpt/discovery"]],
  [true, "node", ["/home/me/gateway/bin/discovery.js"]],
  [true, "node", ["--enable-source-maps", "bin/discovery.js", "--config", "x"]],
  [true, "node", ["/home/me/gateway/bin/anygpt.js", "mcp", "serve"]],
  [true, "node", ["C:\\gateway\\bin\\anygpt.js", "mcp", "serve"]],
  [true, "node", ["/path/to/anygpt/packages/mcp-discovery/dist/index.js"]],
  [true, "node", ["/x/node_modules/@anygpt/mcp-discovery/dist/index.js"]],
  [true, "/home/me/gateway/bin/discovery.js", []],
  [true, "discovery", []],
  [true, "/usr/local/bin/discovery", ["--config", "x.json"]],
  [true, "node", ["/x/node_modules/.bin/discovery"]],
  [true, "env", ["A=1", "anygpt", "mcp", "serve"]],
  [true, "yarn", ["dlx", "@anygpt/discovery"]],
  [true, "bun", ["x", "@anygpt/discovery@next"]],
  [true, "npm", ["exec", "--", "@anygpt/discovery"]],
  [true, "cmd", ["/c", "npx -y @anygpt/discovery"]],
  [true, "wsl.exe", ["bash", "-lc", "npx -y @anygpt/discovery"]],
  [true, "npx", ["-y", "supergateway", "--stdio", "npx -y @anygpt/discovery"]],
  [true, "npx", ["-y", "envmcp", "npx", "@anygpt/discovery"]],
  [true, "sudo", ["docker", "run", "-i", "ghcr.io/anygpt/discovery:1"]],
  [true, "powershell.exe", ["-NoProfile", "-Command", "npx -y @anygpt/discovery"]],
  [true, "discovery", ["--config=x.yaml"]],
  [true, "/bin/sh", ["-c", 'cd ~ && exec npx -y @anygpt/discovery "$@"', "sh", "--config", "/c.json"]],
  [true, "sh", ["-c", "cd && exec npx -y @anygpt/discovery"]],
  [true, "cmd", ["/c", "cd /d %USERPROFILE% && npx -y @anygpt/discovery"]],
  [true, "/n/node", ["/home/ada/.anygpt/program/current/node_modules/@anygpt/discovery/bin/discovery.js"]],
  [true, "/n/node", ["C:\\a\\.anygpt\\program\\current\\node_modules\\@anygpt\\discovery\\bin\\discovery.js"]],
  [false, "discovery", ["--listen", "0.0.0.0"]],
  [false, "anygpt", ["mcp", "list"]],
  [false, "anygpt", ["serve", "mcp"]],
  [false, "node", ["/home/me/gateway/bin/anygpt.js", "chat"]],
  [false, "npx", ["-y", "@acme/discovery"]],
  [false, "npx", ["-y", "discovery"]],
  [false, "npx", ["-y", "mcp-discovery"]],
  [false, "node", ["/x/node_modules/mcp-discovery/dist/index.js"]],
  [false, "node", ["/opt/acme/discovery/dist/index.js"]],
  [false, "python", ["-m", "discovery"]],
  [false, "consul", ["discovery"]],
  [false, "/opt/consul/discovery", ["agent"]],
  [false, "server", ["--prompt", "what is @anygpt/discovery good for"]],
  [false, "sh", ["-c", "npx -y @acme/discovery serve"]],
  [false, "npx", ["-y", "@anygpt/discovery-extras"]],
  [false, "npx", ["-y", "@modelcontextprotocol/server-filesystem", "/src/anygpt/discovery"]],
  [false, "node", ["discovery.js"]],
  [false, "npx", ["server-filesystem", "/path/bin/discovery.js"]],
  [false, "node", ["server.js", "/x/node_modules/@anygpt/discovery/bin/discovery.js"]],
  [true, "npx", ["-y", "envmcp", "node", "--no-warnings", "/x/bin/discovery.js"]],
  [true, "npx", ["-y", "supergateway", "--stdio", "node /x/bin/discovery.js"]],
])("is %s for %s %j", (expected, command, args) => {
  expect(isGatewayItself({ kind: "stdio", command, args, env: {} })).toBe(expected);
});

it("is false for a remote server", () => {
  expect(isGatewayItself({ kind: "http", url: "http://x/@anygpt/discovery", headers: {} })).toBe(false);
});

describe("with the path of the gateway known", () => {
  const own = {
    paths: ["/opt/gateway/bin/start.js"],
    root: "/opt/gateway",
    realPath: (path: string) =>
      path.replace("/link/gateway", "/opt/gateway").replace(/^\/usr\/bin\/gw$/, "/opt/gateway/bin/start.js"),
    which: (name: string) => ({ gw: "/usr/bin/gw", copy: "/lib/@anygpt/discovery/bin/discovery.js" })[name],
  };

  it.each<[boolean, string, string[]]>([
    [true, "node", ["/opt/gateway/bin/start.js"]],
    [true, "node", ["--enable-source-maps", "-r", "./x.cjs", "/link/gateway/bin/start.js"]],
    [true, "/link/gateway/bin/start.js", []],
    [true, "gw", []],
    [true, "copy", []],
    [true, "env", ["A=1", "gw"]],
    [true, "sh", ["-c", "cd /x && exec gw --config y"]],
    [true, "npx", ["-y", "/opt/gateway"]],
    [true, "npx", ["-y", "file:/link/gateway"]],
    [true, "npx", ["--package=/opt/gateway", "discovery"]],
    [true, "bun", ["run", "/link/gateway/bin/start.js"]],
    [false, "node", ["/opt/other/start.js"]],
    [false, "npx", ["-y", "@modelcontextprotocol/server-filesystem", "/opt/gateway"]],
    [false, "mcp-files", ["/opt/gateway/bin/start.js"]],
    [false, "other", ["gw"]],
    [false, "node", ["server.js", "gw"]],
  ])("is %s for %s %j", (expected, command, args) => {
    expect(isGatewayItself({ kind: "stdio", command, args, env: {} }, own)).toBe(expected);
  });

  it.each<[boolean, string, string, string[]]>([
    [true, "/opt/gateway", "node", ["bin/start.js"]],
    [true, "/link/gateway/bin", "node", ["./start.js"]],
    [true, "/opt/gateway/bin", "node", ["start.js"]],
    [true, "/opt/gateway/bin", "./start.js", []],
    [true, "/opt", "npx", ["-y", "./gateway"]],
    [true, "/lib/@anygpt/discovery/bin", "node", ["discovery.js"]],
    [false, "/opt/other", "node", ["bin/start.js"]],
    [false, "/opt/gateway/bin", "npx", ["start.js"]],
    [false, "/opt/gateway/bin", "node", ["other.js", "start.js"]],
  ])("is %s in %s for %s %j", (expected, cwd, command, args) => {
    expect(isGatewayItself({ kind: "stdio", command, args, env: {}, cwd }, own)).toBe(expected);
  });

  it("resolves only the paths of started programs", () => {
    const resolvedPaths: string[] = [];
    const realPath = (path: string) => (resolvedPaths.push(path), path);
    isGatewayItself(
      { kind: "stdio", command: "npx", args: ["-y", "files", "/net/slow"], env: {} },
      { paths: [], realPath },
    );
    isGatewayItself(
      { kind: "stdio", command: "node", args: ["/x/s.js", "/net/slow"], env: {} },
      { paths: [], realPath },
    );
    expect(resolvedPaths).toEqual(["/x/s.js"]);
  });
});
