import { isJsonObject } from "../../model/json.js";
import { applicationData, configHome, inHome, inProject, type System, under } from "../system.js";
import type { Client, ClientServer, Layout } from "./client.js";
import { readServer } from "./entry.js";

const SETTINGS: Layout = {
  section: () => ({ format: "json", keys: ["context_servers"] }),
  dialect: "code",
  read: (document) => {
    const map = isJsonObject(document) ? document["context_servers"] : undefined;
    if (map === undefined) return { servers: [] };
    const path = ["context_servers"];
    if (!isJsonObject(map)) return { servers: [], faults: [{ path, reason: "must be a map of servers by name" }] };
    return { servers: Object.entries(map).map(([name, entry]) => readZedServer(name, entry)) };
  },
};

export const zed: Client = {
  id: "zed",
  title: "Zed",
  locations: (system) => [
    { scope: "project", path: inProject(system, ".zed", "settings.json") },
    { scope: "user", path: under(system, settingsFolder(system), "settings.json") },
  ],
  layoutOf: () => SETTINGS,
};

function settingsFolder(system: System): string {
  if (system.platform === "win32") return under(system, applicationData(system), "Zed");
  // On macOS Zed uses `~/.config` as well, and ignores XDG_CONFIG_HOME.
  const config = system.platform === "darwin" ? inHome(system, ".config") : configHome(system);
  return under(system, config, "zed");
}

/**
 * Reads an entry of Zed's settings. An entry for a Zed extension has settings and no command: only Zed can start its
 * server.
 */
function readZedServer(name: string, entry: unknown): ClientServer {
  const path = ["context_servers", name];
  if (!isJsonObject(entry)) return { name, path, entry };
  const { command } = entry;
  // Until mid-2025, Zed wrote `command` as a map.
  const flat = isJsonObject(command)
    ? { ...entry, command: command["path"], args: command["args"], env: command["env"] }
    : entry;
  if (flat.command !== undefined || flat["url"] !== undefined) return readServer({ name, path, entry: flat });
  const disabled = "it belongs to a Zed extension, which only Zed can start";
  return { name, path, entry: { command: "zed" }, disabled };
}
