import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ANYGPT } from "../support/gateway.js";

const SCRIPT = realpathSync(join(dirname(ANYGPT), "discovery.js"));

/** Configuration files as six clients write them; the gateway is registered in three of them, each time under another name. */
const FILES: Readonly<Record<string, string>> = {
  ".config/Claude/claude_desktop_config.json": `\ufeff{
  "globalShortcut": "Ctrl+Space",
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/ada"] },
    "github": { "command": "docker", "args": ["run", "-i", "ghcr.io/github/github-mcp-server"], "env": { "GITHUB_TOKEN": "ghp_FAKEFAKEFAKE" } },
    "hub": { "command": "npx", "args": ["-y", "@anygpt/discovery@latest"] }
  }
}`,
  ".cursor/mcp.json":
    '{\r\n\t// added by a button\r\n\t"mcpServers": {\r\n\t\t"my files": { "command": "npx", "args": ["@modelcontextprotocol/server-filesystem", "/home/ada"] },\r\n\t\t"figma": { "url": "http://127.0.0.1:3845/mcp", "headers": { "X-Figma-Token": "${env:FIGMA_TOKEN}" } }, // design\r\n\t\t"old": { "command": "old", "disabled": true },\r\n\t},\r\n}\r\n',
  ".config/Code/User/mcp.json": `{
	"inputs": [{ "type": "promptString", "id": "key", "description": "Key", "password": true }],
	"servers": {
		"github": { "type": "http", "url": "https://api.githubcopilot.com/mcp/", "headers": { "X-Key": "\${input:key}" } },
		"everything": { "command": "bunx", "args": ["@anygpt/discovery"] }
	}
}
`,
  ".codex/config.toml": `model = "gpt-5-codex" # which

[mcp_servers.docs]
url = "https://docs.example.com/mcp"
bearer_token_env_var = "DOCS_TOKEN"

# the terminal
[tui]
theme = "dark"
`,
  ".config/goose/config.yaml": `GOOSE_MODE: smart_approve
extensions:
  developer: {type: builtin, enabled: true}
  time:
    type: stdio
    enabled: true
    cmd: uvx
    args: [mcp-server-time]
`,
  ".claude.json": `{
  "numStartups": 214,
  "mcpServers": {
    "memory": { "type": "stdio", "command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"], "env": {} },
    "tools": { "command": "node", "args": ["/usr/lib/node_modules/@anygpt/discovery/bin/discovery.js"] }
  },
  "projects": { "/elsewhere": { "history": ["hello"], "mcpServers": { "never": { "command": "seen" } } } }
}
`,
};
const CLIENTS = ["claude-desktop", "cursor", "vscode", "codex", "goose", "claude-code"];
const UNION = ["files", "github", "memory", "figma", "github-2", "docs", "time"];

let home: string;
const at = (file: string): string => join(home, file);
const readAll = (): Record<string, string> =>
  Object.fromEntries(Object.keys(FILES).map((file) => [file, readFileSync(at(file), "utf8")]));

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "anygpt-import-"));
  mkdirSync(at("project"));
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(dirname(at(file)), { recursive: true });
    writeFileSync(at(file), text);
  }
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** The built program, without a terminal. */
function anygpt(...argv: string[]) {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, FIGMA_TOKEN: "f", DOCS_TOKEN: "d" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [ANYGPT, "mcp", ...argv], {
    env,
    cwd: at("project"),
    encoding: "utf8",
  });
  return { status, stdout, stderr, json: () => JSON.parse(stdout) as Record<string, unknown> };
}

it("moves the servers of six clients to the gateway, and restores every byte on undo", () => {
  const preview = anygpt("import", "--client", ...CLIENTS);
  expect([preview.status, preview.stderr]).toEqual([0, ""]);
  expect(preview.stdout).toContain("Nothing was written. Add --yes to write.");
  expect(preview.stdout).not.toContain("ghp_");
  expect(preview.stdout).toContain(
    "github stays in ~/.config/Code/User/mcp.json: INPUT_KEY is not set for the gateway",
  );
  expect([readAll(), existsSync(at(".anygpt"))]).toEqual([FILES, false]);

  const moved = anygpt("import", "--client", ...CLIENTS, "--yes", "--json");
  expect(moved.status).toBe(0);
  expect(moved.json()).toMatchObject({ written: true, added: UNION });
  const config = at(".anygpt/mcp-discovery.config.json");
  expect(Object.keys((JSON.parse(readFileSync(config, "utf8")) as { servers: object }).servers)).toEqual(UNION);
  expect(statSync(config).mode & 0o777).toBe(0o600);
  expect(readAll()).toEqual({
    ".config/Claude/claude_desktop_config.json": `\ufeff{
  "globalShortcut": "Ctrl+Space",
  "mcpServers": {
    "hub": { "command": "npx", "args": ["-y", "@anygpt/discovery@latest"] }
  }
}`,
    ".cursor/mcp.json": `{\r\n\t// added by a button\r\n\t"mcpServers": {\r\n\t\t"anygpt": {\r\n\t\t\t"command": "${process.execPath}",\r\n\t\t\t"args": ["${SCRIPT}"]\r\n\t\t},\r\n\t\t// design\r\n\t\t"old": { "command": "old", "disabled": true },\r\n\t},\r\n}\r\n`,
    ".config/Code/User/mcp.json": `{
	"inputs": [{ "type": "promptString", "id": "key", "description": "Key", "password": true }],
	"servers": {
		"github": { "type": "http", "url": "https://api.githubcopilot.com/mcp/", "headers": { "X-Key": "\${input:key}" } },
		"everything": { "command": "bunx", "args": ["@anygpt/discovery"] }
	}
}
`,
    ".codex/config.toml": `model = "gpt-5-codex" # which

[mcp_servers.anygpt]
command = "${process.execPath}"
args = [ "${SCRIPT}" ]
omit_tools_from = [ "deferred" ]

# the terminal
[tui]
theme = "dark"
`,
    ".config/goose/config.yaml": `GOOSE_MODE: smart_approve
extensions:
  developer: {type: builtin, enabled: true}
  anygpt:
    name: anygpt
    description: All other servers
    type: stdio
    enabled: true
    cmd: ${process.execPath}
    args:
      - ${SCRIPT}
    envs: {}
    timeout: 300
`,
    ".claude.json": `{
  "numStartups": 214,
  "mcpServers": {
    "tools": { "command": "node", "args": ["/usr/lib/node_modules/@anygpt/discovery/bin/discovery.js"], "alwaysLoad": true }
  },
  "projects": { "/elsewhere": { "history": ["hello"], "mcpServers": { "never": { "command": "seen" } } } }
}
`,
  });
  expect(anygpt("config", "show", "--json").json()).toMatchObject({ servers: { configured: UNION.length } });

  const again = anygpt("import", "--client", ...CLIENTS, "--yes");
  expect([again.status, again.stdout]).toEqual([
    0,
    expect.stringContaining("Nothing to import: your configuration already has all servers."),
  ]);

  const undone = anygpt("import", "--undo", "--yes");
  expect([undone.status, undone.stderr]).toEqual([0, ""]);
  expect(readAll()).toEqual(FILES);
  expect(readdirSync(at(".anygpt"))).toEqual([]);
  const twice = anygpt("import", "--undo", "--yes");
  expect([twice.status, twice.stdout]).toEqual([0, "There is no import to undo.\n"]);
});

it("lets one of two concurrent imports win and loses no server", () => {
  const script = `const { spawn } = require("node:child_process");
const run = () => new Promise((done) => spawn(process.execPath, process.argv.slice(1), { stdio: "ignore" }).on("exit", done));
Promise.all([run(), run(), run()]).then((codes) => console.log(JSON.stringify(codes)));`;
  const env = { PATH: process.env["PATH"] ?? "", HOME: home };
  const argv = ["-e", script, ANYGPT, "mcp", "import", "--client", "cursor", "--yes"];
  const { stdout } = spawnSync(process.execPath, argv, { env, cwd: at("project"), encoding: "utf8" });
  const codes = JSON.parse(stdout) as number[];
  expect(codes).toContain(0);
  expect(codes.every((code) => code === 0 || code === 2)).toBe(true);
  const config = JSON.parse(readFileSync(at(".anygpt/mcp-discovery.config.json"), "utf8")) as { servers: object };
  expect(Object.keys(config.servers)).toEqual(["my files", "figma"]);
  expect(readFileSync(at(".cursor/mcp.json"), "utf8")).toContain("bin/discovery.js");
  for (const _import of codes) anygpt("import", "--undo", "--yes");
  expect(readAll()).toEqual(FILES);
});
