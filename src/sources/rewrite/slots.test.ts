import { describe, expect, it } from "vitest";
import { gatewayProgram, gatewayStart } from "./slots.js";

describe("gatewayProgram", () => {
  it.each<[string, string | undefined, object]>([
    ["linux", undefined, { command: "/bin/sh", args: ["-c", 'cd ~ && exec npx -y @anygpt/discovery "$@"', "sh"] }],
    [
      "darwin",
      "/c.json",
      { command: "/bin/sh", args: ["-c", 'cd ~ && exec npx -y @anygpt/discovery "$@"', "sh", "--config", "/c.json"] },
    ],
    ["win32", undefined, { command: "cmd", args: ["/c", "cd /d %USERPROFILE% && npx -y @anygpt/discovery"] }],
  ])("starts npx outside the folder of the client on %s with the configuration %s", (platform, config, expected) => {
    expect(gatewayProgram({ platform }, config)).toEqual(expected);
  });

  it.each([
    [
      "/home/ada/clone/bin/discovery.js",
      { kind: "script", node: "/n/node", script: "/home/ada/clone/bin/discovery.js" },
    ],
    ["/usr/lib/node_modules/@anygpt/discovery/bin/discovery.js", { kind: "script" }],
    [
      "/home/ada/.npm/_npx/0123/node_modules/@anygpt/discovery/bin/discovery.js",
      { kind: "copy", node: "/n/node", script: "/copy/bin/discovery.js" },
    ],
    [
      "C:\\Users\\a\\AppData\\npm-cache\\_npx\\0\\node_modules\\@anygpt\\discovery\\bin\\discovery.js",
      { kind: "copy" },
    ],
    ["/home/ada/.cache/pnpm/dlx/0a/node_modules/@anygpt/discovery/bin/discovery.js", { kind: "copy" }],
    ["/tmp/bunx-1000-x/node_modules/@anygpt/discovery/bin/discovery.js", { kind: "copy" }],
    ["/somewhere/else.js", { kind: "npx" }],
  ])("depends on the path of the running program: %s", (path, expected) => {
    expect(gatewayStart({ paths: ["/x/bin/anygpt.js", path] }, "/n/node", "/copy")).toMatchObject(expected);
  });

  it.each(["script", "copy"] as const)("starts the %s with its interpreter, by absolute paths", (kind) => {
    const start = { kind, node: "/n/node", script: "/c/bin/discovery.js" };
    expect(gatewayProgram({ platform: "win32" }, "/c.json", start)).toEqual({
      command: "/n/node",
      args: ["/c/bin/discovery.js", "--config", "/c.json"],
    });
  });
});
