import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLIENT_IDS, type ClientId } from "../../../src/sources/options.js";
import { clientFiles, readClientFile } from "../../../src/sources/read-client.js";
import type { System } from "../../../src/sources/system.js";

const GOLDEN = fileURLToPath(new URL(".", import.meta.url));

let root: string;
beforeEach(() => void (root = realpathSync(mkdtempSync(join(tmpdir(), "golden-")))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** The files of each client: `home/…` belongs to the user, `project/…` to the project. */
const LINUX: Record<ClientId, Record<string, string>> = {
  "claude-desktop": { "home/.config/Claude/claude_desktop_config.json": "claude_desktop_config.json" },
  "claude-code": {
    "home/.claude.json": "claude.json",
    "project/.mcp.json": "mcp.json",
    "project/.claude/settings.local.json": "settings.local.json",
  },
  cursor: { "home/.cursor/mcp.json": "user.json", "project/.cursor/mcp.json": "project.json" },
  windsurf: { "home/.codeium/windsurf/mcp_config.json": "mcp_config.json" },
  vscode: {
    "home/.config/Code/User/mcp.json": "user-mcp.json",
    "home/.config/Code - Insiders/User/profiles/-1a2b3c4d/mcp.json": "workspace-mcp.json",
    "home/.config/VSCodium/User/settings.json": "settings.json",
    "project/.vscode/mcp.json": "workspace-mcp.json",
  },
  cline: {
    "home/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json":
      "cline_mcp_settings.json",
  },
  roo: {
    "home/.config/Cursor/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json": "mcp_settings.json",
    "project/.roo/mcp.json": "project.json",
  },
  "gemini-cli": {
    "home/.gemini/settings.json": "settings.json",
    "home/.gemini/mcp-server-enablement.json": "mcp-server-enablement.json",
  },
  codex: { "home/.codex/config.toml": "config.toml" },
  zed: { "home/.config/zed/settings.json": "settings.json" },
  continue: {
    "home/.continue/config.yaml": "config.yaml",
    "home/.continue/config.json": "config.json",
    "project/.continue/mcpServers/browser.yaml": "block.yaml",
    "project/.continue/mcpServers/copied.json": "copied.json",
  },
  goose: { "home/.config/goose/config.yaml": "config.yaml" },
  junie: { "home/.junie/mcp/mcp.json": "mcp.json" },
  "lm-studio": { "home/.lmstudio/mcp.json": "mcp.json" },
  opencode: { "home/.config/opencode/opencode.jsonc": "opencode.jsonc", "project/opencode.json": "v2.json" },
  "copilot-cli": { "home/.copilot/mcp-config.json": "mcp-config.json" },
  "amazon-q": { "home/.aws/amazonq/mcp.json": "mcp.json", "home/.aws/amazonq/agents/default.json": "default.json" },
  kiro: { "project/.kiro/settings/mcp.json": "mcp.json" },
  warp: { "home/.warp/.mcp.json": "mcp.json" },
  antigravity: { "home/.gemini/antigravity/mcp_config.json": "mcp_config.json" },
  "docker-mcp": {
    "home/.docker/mcp-servers.json": "mcp-servers.json",
    "home/.docker/mcp/registry.yaml": "registry.yaml",
    "home/.docker/mcp/config.yaml": "config.yaml",
    "home/.docker/mcp/tools.yaml": "tools.yaml",
    "home/.docker/mcp/catalogs/docker-mcp.yaml": "catalog.yaml",
  },
};

/** Paths that differ on macOS. */
const MAC: Partial<Record<ClientId, Record<string, string>>> = {
  "claude-desktop": {
    "home/Library/Application Support/Claude/claude_desktop_config.json": "claude_desktop_config.json",
  },
  vscode: {
    "home/Library/Application Support/Code/User/mcp.json": "user-mcp.json",
    "home/Library/Application Support/Code - Insiders/User/profiles/-1a2b3c4d/mcp.json": "workspace-mcp.json",
    "home/Library/Application Support/VSCodium/User/settings.json": "settings.json",
    "project/.vscode/mcp.json": "workspace-mcp.json",
  },
  cline: { "home/.cline/data/settings/cline_mcp_settings.json": "cline_mcp_settings.json" },
  roo: {
    "home/Library/Application Support/Cursor/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json":
      "mcp_settings.json",
    "project/.roo/mcp.json": "project.json",
  },
};

function lay(client: ClientId, files: Record<string, string>): void {
  for (const [path, golden] of Object.entries(files)) {
    const target = join(root, path);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(GOLDEN, client, golden), target);
    const text = readFileSync(target, "utf8");
    if (text.includes("@PROJECT@")) writeFileSync(target, text.replace("@PROJECT@", join(root, "project")));
  }
}

async function readAll(client: ClientId, platform: string): Promise<object[]> {
  const system: System = { platform, home: join(root, "home"), cwd: join(root, "project"), env: {} };
  const files = clientFiles(system, [client]);
  const read = await Promise.all(
    files.map(async (file) => {
      const content = await readClientFile(file, { system });
      if (content.kind === "missing") return [];
      if (content.kind === "broken") return [{ ...file, problems: content.problems }];
      const { servers, problems, companions } = content;
      return [{ ...file, companions: companions.map(({ path }) => path), servers, problems }];
    }),
  );
  const plain = JSON.stringify(read.flat()).replaceAll(root, "ROOT");
  return JSON.parse(plain) as object[];
}

function toGolden(read: readonly object[]): string {
  return `${JSON.stringify(read, null, 2)}\n`;
}

describe.each(CLIENT_IDS)("%s", (client) => {
  it("on Linux matches the golden file", async () => {
    lay(client, LINUX[client]);
    await expect(toGolden(await readAll(client, "linux"))).toMatchFileSnapshot(`./${client}/expected.json`);
  });

  it("on macOS gives the same result from other paths", async () => {
    lay(client, LINUX[client]);
    const linux = await readAll(client, "linux");
    rmSync(root, { recursive: true });
    lay(client, MAC[client] ?? LINUX[client]);
    expect(withoutPlaces(await readAll(client, "darwin"))).toEqual(withoutPlaces(linux));
  });
});

it("docs/reference/sources.md lists every client", () => {
  const document = readFileSync(join(GOLDEN, "../../../docs/reference/sources.md"), "utf8");
  expect(CLIENT_IDS.filter((id) => !document.includes(`| \`${id}\` |`))).toEqual([]);
});

it("reads files from Windows, with their paths and their npx command", async () => {
  const system: System = { platform: "win32", home: "C:\\Users\\me", cwd: "D:\\app", env: {} };
  const path = join(GOLDEN, "claude-desktop", "windows.json");
  const content = await readClientFile({ client: "claude-desktop", scope: "user", path }, { system });
  const servers = content.kind === "read" ? content.servers : [];
  expect(servers.map(({ definition, isGateway }) => [definition.name, isGateway, definition.connection])).toEqual([
    [
      "filesystem",
      false,
      {
        kind: "stdio",
        command: "cmd",
        args: ["/c", "npx", "-y", "@modelcontextprotocol/server-filesystem", "C:\\Users\\me\\Documents"],
        env: {},
      },
    ],
    ["sentry", false, { kind: "http", url: "https://mcp.sentry.dev/mcp", headers: {} }],
    ["gateway", true, { kind: "stdio", command: "cmd", args: ["/c", "npx", "-y", "@anygpt/discovery"], env: {} }],
  ]);
});

/** Paths differ between systems; the content of the files does not. */
function withoutPlaces(read: readonly object[]): unknown {
  return JSON.parse(JSON.stringify(read).replace(/ROOT\/home\/[^"]*/g, "FILE"));
}
