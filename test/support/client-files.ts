import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { DISCOVERY, testServer } from "./gateway.js";

/** A user's machine with six MCP clients, and a folder of executables. */
export interface Machine {
  readonly home: string;
  /** The working directory of the user. */
  readonly project: string;
  readonly env: Record<string, string>;
  write(path: string, content: string | object): string;
  /** An executable on the PATH. */
  program(name: string, script: string): string;
  remove(): void;
}

export function createMachine(): Machine {
  const root = mkdtempSync(join(tmpdir(), "anygpt-machine-"));
  const [home, project, bin] = ["home", "project", "bin"].map((name) => join(root, name)) as [string, string, string];
  for (const folder of [home, project, bin]) mkdirSync(folder);
  const write = (path: string, content: string | object): string => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, null, 2));
    return file;
  };
  return {
    home,
    project,
    env: { PATH: [bin, process.env["PATH"] ?? ""].join(delimiter), HOME: home, ANYGPT_DAEMON: "0" },
    write,
    program(name, script) {
      const file = write(join("bin", name), script);
      chmodSync(file, 0o755);
      return file;
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

const gate = (name: string) => testServer("gate.mjs", name);

/** The files of six clients as they write them. Three of them contain the gateway, under names that the user chose. */
export function writeSixClients(machine: Machine) {
  symlinkSync(DISCOVERY, join(dirname(machine.home), "bin", "gw"));
  return {
    claudeDesktop: machine.write("home/.config/Claude/claude_desktop_config.json", {
      globalShortcut: "Ctrl+Space",
      mcpServers: { files: gate("files"), "my tools": { command: "npx", args: ["-y", "@anygpt/discovery@latest"] } },
    }),
    claudeCode: machine.write("home/.claude.json", {
      numStartups: 12,
      mcpServers: { notes: { type: "stdio", ...gate("notes") }, off: { ...gate("off"), disabled: true } },
      projects: {
        [machine.project]: { mcpServers: { here: gate("here") } },
        "/other": { mcpServers: { not: gate("x") } },
      },
    }),
    cursor: machine.write(
      "home/.cursor/mcp.json",
      `\uFEFF{\n  // mine\n  "mcpServers": {\n    "documents": ${JSON.stringify(gate("files"))},\n    "notes": ${JSON.stringify(gate("other notes"))},\n    "all-in-one": ${JSON.stringify({ command: process.execPath, args: [DISCOVERY] })},\n  },\n}\n`,
    ),
    vscode: machine.write("home/.config/Code/User/mcp.json", {
      inputs: [{ type: "promptString", id: "tracker-token", description: "Token", password: true }],
      servers: { tracker: { ...gate("tracker"), env: { SECRET: "${input:tracker-token}" } } },
    }),
    codex: machine.write(
      "home/.codex/config.toml",
      `model = "o5"\n\n[mcp_servers.search]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify(gate("search").args)}\n\n[mcp_servers.hub]\ncommand = "gw"\n`,
    ),
    zed: machine.write(
      "home/.config/zed/settings.json",
      `{\n  "theme": "One",\n  "context_servers": {\n    "weather": ${JSON.stringify(gate("weather"))}\n  }\n}\n`,
    ),
  };
}
