import { isJsonObject, type JsonObject } from "../../model/json.js";
import { inHome, inProject, isSamePath, pathFromEnvironment, type System, under } from "../system.js";
import type { Client, Companion, ClientFindings, Layout } from "./client.js";
import { namesIn, readServerMap } from "./entry.js";

/**
 * Keys of `~/.claude.json`: `mcpServers` has the user's servers; `projects` has servers and disabled servers per
 * project.
 */
const STATE_KEYS = ["mcpServers", "projects"];

const STATE: Layout = {
  section: (system) => ({ format: "json", keys: STATE_KEYS, wanted: isCurrentProject(system) }),
  dialect: "code",
  read: (document, { system }) => {
    const project = projectIn(document, system);
    const disabledNames = new Set(namesIn(project?.value["disabledMcpServers"]));
    const spelling = {
      disabled: (name: string) => (disabledNames.has(name) ? "it is disabled for this project" : undefined),
    };
    const user = readServerMap(document, "mcpServers", spelling);
    if (project === undefined) return user;
    const local = readServerMap(project.value, "mcpServers", spelling);
    const prefix = ["projects", project.key];
    return {
      servers: [
        ...local.servers.map((server) => ({ ...server, path: [...prefix, ...server.path], scope: "local" as const })),
        ...user.servers,
      ],
      faults: [
        ...(local.faults ?? []).map(({ path, reason }) => ({ path: [...prefix, ...path], reason })),
        ...(user.faults ?? []),
      ],
    };
  },
};

const PROJECT: Layout = {
  section: () => ({ format: "json", keys: ["mcpServers"] }),
  dialect: "code",
  companions: (_file, system) => [
    { path: stateFile(system), format: "json", keys: STATE_KEYS, wanted: isCurrentProject(system) },
    ...[inHome(system, ".claude", "settings.json"), inProject(system, ".claude", "settings.json")].map(settings),
    settings(inProject(system, ".claude", "settings.local.json")),
  ],
  read: (document, { companions, system }): ClientFindings => {
    const settingsFiles = companions.map((companion) => projectIn(companion, system)?.value ?? companion);
    const rejected = new Set(settingsFiles.flatMap((one) => listIn(one, "disabledMcpjsonServers")));
    const disabledNames = new Set(settingsFiles.flatMap((one) => listIn(one, "disabledMcpServers")));
    return readServerMap(document, "mcpServers", {
      disabled: (name) => {
        if (rejected.has(name)) return "it is in `disabledMcpjsonServers`";
        return disabledNames.has(name) ? "it is disabled for this project" : undefined;
      },
    });
  },
};

export const claudeCode: Client = {
  id: "claude-code",
  title: "Claude Code",
  // Claude Code passes its whole environment to servers (issue 17719 of anthropics/claude-code).
  passesEnvironment: true,
  locations: (system) => [
    { scope: "project", path: inProject(system, ".mcp.json") },
    { scope: "user", path: stateFile(system) },
  ],
  layoutOf: (path) => (path.endsWith(".claude.json") ? STATE : PROJECT),
};

function stateFile(system: System): string {
  return under(system, pathFromEnvironment(system, "CLAUDE_CONFIG_DIR") ?? system.home, ".claude.json");
}

function settings(path: string): Companion {
  return { path, format: "json", keys: ["disabledMcpjsonServers"] };
}

/** Keeps only the entry of the current project in `projects`, so that other projects are not parsed. */
function isCurrentProject(system: System): (path: readonly string[]) => boolean {
  return ([top, key]) => top !== "projects" || key === undefined || isSamePath(system, key, system.cwd);
}

function projectIn(document: unknown, system: System): { key: string; value: JsonObject } | undefined {
  const projects = isJsonObject(document) ? document["projects"] : undefined;
  if (!isJsonObject(projects)) return undefined;
  for (const [key, value] of Object.entries(projects)) {
    if (isSamePath(system, key, system.cwd) && isJsonObject(value)) return { key, value };
  }
  return undefined;
}

function listIn(value: unknown, key: string): string[] {
  return isJsonObject(value) ? namesIn(value[key]) : [];
}
