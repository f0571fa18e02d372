import { describe, expect, it } from "vitest";
import { type ClientId } from "../options.js";
import { gatewayProgram, gatewayStart } from "./slots.js";

describe("gatewayProgram", () => {
  it.each<[ClientId, string, string | undefined, object]>([
    ["cursor", "linux", undefined, { command: "npx", args: ["-y", "@anygpt/discovery"] }],
    ["cursor", "win32", undefined, { command: "npx", args: ["-y", "@anygpt/discovery"] }],
    ["claude-code", "win32", undefined, { command: "cmd", args: ["/c", "npx", "-y", "@anygpt/discovery"] }],
    ["codex", "darwin", "/c.json", { command: "npx", args: ["-y", "@anygpt/discovery", "--config", "/c.json"] }],
  ])("returns the command for %s on %s with the configuration %s", (client, platform, config, expected) => {
    expect(gatewayProgram(client, { platform }, config)).toEqual(expected);
  });

  it.each([
    [
      "/home/ada/clone/bin/discovery.js",
      { kind: "script", node: "/n/node", script: "/home/ada/clone/bin/discovery.js" },
    ],
    ["/usr/lib/node_modules/@anygpt/discovery/bin/discovery.js", { kind: "script" }],
    ["/home/ada/.npm/_npx/0123/node_modules/@anygpt/discovery/bin/discovery.js", { kind: "npx" }],
    ["C:\\Users\\a\\AppData\\npm-cache\\_npx\\0\\node_modules\\@anygpt\\discovery\\bin\\discovery.js", { kind: "npx" }],
    ["/somewhere/else.js", { kind: "npx" }],
  ])("depends on the path of the running program: %s", (path, expected) => {
    expect(gatewayStart({ paths: ["/x/bin/anygpt.js", path] }, "/n/node")).toMatchObject(expected);
  });

  it("starts the script with its interpreter, by absolute paths", () => {
    const start = { kind: "script", node: "/n/node", script: "/c/bin/discovery.js" } as const;
    expect(gatewayProgram("claude-code", { platform: "win32" }, "/c.json", start)).toEqual({
      command: "/n/node",
      args: ["/c/bin/discovery.js", "--config", "/c.json"],
    });
  });
});
