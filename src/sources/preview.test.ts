import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { previewImport } from "./preview.js";

let root: string;
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "preview-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, content: unknown): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
}

it("returns every server of six programs with its outcome", async () => {
  const gateway = { command: "npx", args: ["-y", "@anygpt/discovery"] };
  write("home/.config/Claude/claude_desktop_config.json", { mcpServers: { files: { command: "f" }, hub: gateway } });
  write("home/.cursor/mcp.json", { mcpServers: { "my files": { command: "f" }, all: gateway } });
  write("home/.codeium/windsurf/mcp_config.json", { mcpServers: { files: { serverUrl: "https://f/mcp" } } });
  write("home/.config/Code/User/mcp.json", { servers: { git: { command: "g" }, gw: { ...gateway, command: "bunx" } } });
  write("home/.codex/config.toml", '[mcp_servers.docs]\nurl = "https://d/mcp"\nbearer_token_env_var = "DOCS_TOKEN"\n');
  write("home/.gemini/settings.json", "{ broken");
  write("project/.mcp.json", { mcpServers: { theirs: { command: "t" } } });

  const { files, servers } = await previewImport({
    system: { platform: "linux", home: join(root, "home"), cwd: join(root, "project"), env: {} },
  });
  expect(servers.map(({ server, outcome }) => [server.origin.client, server.definition.name, outcome])).toEqual([
    ["claude-desktop", "files", { kind: "taken", name: "files" }],
    ["claude-desktop", "hub", { kind: "gateway" }],
    ["claude-code", "theirs", { kind: "untrusted" }],
    ["cursor", "my files", { kind: "duplicate", duplicateOf: "files" }],
    ["cursor", "all", { kind: "gateway" }],
    ["windsurf", "files", { kind: "renamed", name: "files-2" }],
    ["vscode", "git", { kind: "taken", name: "git" }],
    ["vscode", "gw", { kind: "gateway" }],
    ["codex", "docs", { kind: "taken", name: "docs" }],
  ]);
  expect(servers.at(-1)?.server.variables).toEqual([{ name: "DOCS_TOKEN", hasDefault: false }]);
  expect(files.filter(({ content }) => content.kind === "broken").map(({ location }) => location.client)).toEqual([
    "gemini-cli",
  ]);
});

it("includes the project's servers if they are trusted", async () => {
  write("project/.mcp.json", { mcpServers: { theirs: { command: "t" } } });
  const { servers } = await previewImport({
    system: { platform: "linux", home: join(root, "home"), cwd: join(root, "project"), env: {} },
    clients: ["claude-code"],
    isTrusted: ({ path }) => path.endsWith(".mcp.json"),
  });
  expect(servers.map(({ outcome }) => outcome)).toEqual([{ kind: "taken", name: "theirs" }]);
});
