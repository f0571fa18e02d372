import { describe, expect, it } from "vitest";
import { CLIENT_IDS, type ClientId } from "../options.js";
import type { System } from "../system.js";
import { CLIENTS } from "./table.js";

const LINUX: System = { platform: "linux", home: "/home/me", cwd: "/app", env: {} };
const MAC: System = { platform: "darwin", home: "/Users/me", cwd: "/app", env: {} };
const WINDOWS: System = { platform: "win32", home: "C:\\Users\\me", cwd: "D:\\app", env: {} };

const paths = (client: ClientId, system: System) => CLIENTS[client].locations(system).map(({ path }) => path);

it("has a client for each id, with the same id", () => {
  expect(CLIENT_IDS.map((id) => CLIENTS[id].id)).toEqual(CLIENT_IDS);
});

describe.each<[ClientId, string, string, string]>([
  [
    "claude-desktop",
    "/home/me/.config/Claude/claude_desktop_config.json",
    "/Users/me/Library/Application Support/Claude/claude_desktop_config.json",
    "C:\\Users\\me\\AppData\\Roaming\\Claude\\claude_desktop_config.json",
  ],
  ["claude-code", "/home/me/.claude.json", "/Users/me/.claude.json", "C:\\Users\\me\\.claude.json"],
  ["claude-code", "/app/.mcp.json", "/app/.mcp.json", "D:\\app\\.mcp.json"],
  ["cursor", "/home/me/.cursor/mcp.json", "/Users/me/.cursor/mcp.json", "C:\\Users\\me\\.cursor\\mcp.json"],
  ["cursor", "/app/.cursor/mcp.json", "/app/.cursor/mcp.json", "D:\\app\\.cursor\\mcp.json"],
  [
    "windsurf",
    "/home/me/.codeium/windsurf/mcp_config.json",
    "/Users/me/.codeium/windsurf/mcp_config.json",
    "C:\\Users\\me\\.codeium\\windsurf\\mcp_config.json",
  ],
  [
    "vscode",
    "/home/me/.config/Code/User/mcp.json",
    "/Users/me/Library/Application Support/Code/User/mcp.json",
    "C:\\Users\\me\\AppData\\Roaming\\Code\\User\\mcp.json",
  ],
  [
    "vscode",
    "/home/me/.config/Code - Insiders/User/profiles/*/mcp.json",
    "/Users/me/Library/Application Support/Code - Insiders/User/profiles/*/mcp.json",
    "C:\\Users\\me\\AppData\\Roaming\\Code - Insiders\\User\\profiles\\*\\mcp.json",
  ],
  ["vscode", "/app/.vscode/mcp.json", "/app/.vscode/mcp.json", "D:\\app\\.vscode\\mcp.json"],
  [
    "cline",
    "/home/me/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    "/Users/me/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    "C:\\Users\\me\\AppData\\Roaming\\Code\\User\\globalStorage\\saoudrizwan.claude-dev\\settings\\cline_mcp_settings.json",
  ],
  [
    "roo",
    "/home/me/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
    "/Users/me/Library/Application Support/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
    "C:\\Users\\me\\AppData\\Roaming\\Code\\User\\globalStorage\\rooveterinaryinc.roo-cline\\settings\\mcp_settings.json",
  ],
  ["roo", "/app/.roo/mcp.json", "/app/.roo/mcp.json", "D:\\app\\.roo\\mcp.json"],
  [
    "gemini-cli",
    "/home/me/.gemini/settings.json",
    "/Users/me/.gemini/settings.json",
    "C:\\Users\\me\\.gemini\\settings.json",
  ],
  ["codex", "/home/me/.codex/config.toml", "/Users/me/.codex/config.toml", "C:\\Users\\me\\.codex\\config.toml"],
  ["codex", "/app/.codex/config.toml", "/app/.codex/config.toml", "D:\\app\\.codex\\config.toml"],
  [
    "zed",
    "/home/me/.config/zed/settings.json",
    "/Users/me/.config/zed/settings.json",
    "C:\\Users\\me\\AppData\\Roaming\\Zed\\settings.json",
  ],
  [
    "continue",
    "/home/me/.continue/config.yaml",
    "/Users/me/.continue/config.yaml",
    "C:\\Users\\me\\.continue\\config.yaml",
  ],
  [
    "goose",
    "/home/me/.config/goose/config.yaml",
    "/Users/me/.config/goose/config.yaml",
    "C:\\Users\\me\\AppData\\Roaming\\Block\\goose\\config\\config.yaml",
  ],
  ["junie", "/home/me/.junie/mcp/mcp.json", "/Users/me/.junie/mcp/mcp.json", "C:\\Users\\me\\.junie\\mcp\\mcp.json"],
  ["lm-studio", "/home/me/.lmstudio/mcp.json", "/Users/me/.lmstudio/mcp.json", "C:\\Users\\me\\.lmstudio\\mcp.json"],
  [
    "opencode",
    "/home/me/.config/opencode/opencode.json",
    "/Users/me/.config/opencode/opencode.json",
    "C:\\Users\\me\\.config\\opencode\\opencode.json",
  ],
  ["opencode", "/app/opencode.jsonc", "/app/opencode.jsonc", "D:\\app\\opencode.jsonc"],
  [
    "copilot-cli",
    "/home/me/.copilot/mcp-config.json",
    "/Users/me/.copilot/mcp-config.json",
    "C:\\Users\\me\\.copilot\\mcp-config.json",
  ],
  [
    "amazon-q",
    "/home/me/.aws/amazonq/mcp.json",
    "/Users/me/.aws/amazonq/mcp.json",
    "C:\\Users\\me\\.aws\\amazonq\\mcp.json",
  ],
  [
    "kiro",
    "/home/me/.kiro/settings/mcp.json",
    "/Users/me/.kiro/settings/mcp.json",
    "C:\\Users\\me\\.kiro\\settings\\mcp.json",
  ],
  ["warp", "/home/me/.warp/.mcp.json", "/Users/me/.warp/.mcp.json", "C:\\Users\\me\\.warp\\.mcp.json"],
  [
    "antigravity",
    "/home/me/.gemini/antigravity/mcp_config.json",
    "/Users/me/.gemini/antigravity/mcp_config.json",
    "C:\\Users\\me\\.gemini\\antigravity\\mcp_config.json",
  ],
  [
    "docker-mcp",
    "/home/me/.docker/mcp/registry.yaml",
    "/Users/me/.docker/mcp/registry.yaml",
    "C:\\Users\\me\\.docker\\mcp\\registry.yaml",
  ],
])("%s", (client, linux, mac, windows) => {
  it("has the documented path on Linux, macOS and Windows", () => {
    expect(paths(client, LINUX)).toContain(linux);
    expect(paths(client, MAC)).toContain(mac);
    expect(paths(client, WINDOWS)).toContain(windows);
  });
});

it("marks exactly the files in the project folder as project files", () => {
  for (const id of CLIENT_IDS) {
    for (const { scope, path } of CLIENTS[id].locations(LINUX))
      expect(scope).toBe(path.startsWith("/app/") ? "project" : "user");
  }
});

it.each<[ClientId, Record<string, string>, string]>([
  ["claude-code", { CLAUDE_CONFIG_DIR: "/c" }, "/c/.claude.json"],
  ["codex", { CODEX_HOME: "/c" }, "/c/config.toml"],
  ["gemini-cli", { GEMINI_CLI_HOME: "/g" }, "/g/.gemini/settings.json"],
  ["goose", { GOOSE_PATH_ROOT: "/g" }, "/g/config/config.yaml"],
  ["goose", { XDG_CONFIG_HOME: "/x" }, "/x/goose/config.yaml"],
  ["zed", { XDG_CONFIG_HOME: "/x" }, "/x/zed/settings.json"],
  ["continue", { CONTINUE_GLOBAL_DIR: "/c" }, "/c/config.yaml"],
  ["copilot-cli", { COPILOT_HOME: "/c" }, "/c/mcp-config.json"],
  ["opencode", { OPENCODE_CONFIG: "/o.json" }, "/o.json"],
  ["vscode", { VSCODE_PORTABLE: "/usb" }, "/usb/user-data/User/mcp.json"],
  ["vscode", { XDG_CONFIG_HOME: "/x" }, "/x/Code/User/mcp.json"],
])("uses another path for %s with %j", (client, env, path) => {
  expect(paths(client, { ...LINUX, env })).toContain(path);
});

it("puts the packaged Claude Desktop first on Windows, and uses APPDATA and LOCALAPPDATA", () => {
  const env = { APPDATA: "E:\\Roaming", LOCALAPPDATA: "E:\\Local" };
  expect(paths("claude-desktop", { ...WINDOWS, env })).toEqual([
    "E:\\Local\\Packages\\Claude_*\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json",
    "E:\\Roaming\\Claude\\claude_desktop_config.json",
  ]);
});

it.each([
  "CLAUDE_CONFIG_DIR",
  "CODEX_HOME",
  "GEMINI_CLI_HOME",
  "GOOSE_PATH_ROOT",
  "XDG_CONFIG_HOME",
  "CONTINUE_GLOBAL_DIR",
  "COPILOT_HOME",
  "OPENCODE_CONFIG",
  "VSCODE_PORTABLE",
])("ignores a relative %s, because it would make a project file a user file", (variable) => {
  const all = (env: Record<string, string>) => CLIENT_IDS.flatMap((id) => paths(id, { ...LINUX, env }));
  for (const value of ["x", "./x", "../x", "~/x", ""]) expect(all({ [variable]: value })).toEqual(all({}));
  expect(all({ [variable]: "/x" })).not.toEqual(all({}));
});

it("ignores relative folders on Windows too", () => {
  const env = { APPDATA: "x", LOCALAPPDATA: ".\\x" };
  expect(paths("claude-desktop", { ...WINDOWS, env })).toEqual(paths("claude-desktop", WINDOWS));
});
