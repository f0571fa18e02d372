import { isJsonObject } from "../../model/json.js";
import { inProject, pathFromEnvironment, type System, under } from "../system.js";
import type { Client, Layout } from "./client.js";
import { namesIn, readServerMap } from "./entry.js";

const SETTINGS: Layout = {
  section: () => ({ format: "json", keys: ["mcpServers", "mcp"] }),
  dialect: "gemini",
  companions: (_file, system) => [
    { path: under(system, folder(system), "mcp-server-enablement.json"), format: "json", keys: "all" },
  ],
  read: (document, { companions: [enablement] }) => {
    const mcp = isJsonObject(document) && isJsonObject(document["mcp"]) ? document["mcp"] : {};
    const allowed = namesIn(mcp["allowed"]);
    const excluded = namesIn(mcp["excluded"]);
    const disabledNames = disabledServers(enablement);
    return readServerMap(document, "mcpServers", {
      disabled: (name) => {
        if (excluded.includes(name)) return "it is in `mcp.excluded`";
        if (allowed.length > 0 && !allowed.includes(name)) return "it is not in `mcp.allowed`";
        return disabledNames.has(name.trim().toLowerCase())
          ? "it is disabled in mcp-server-enablement.json"
          : undefined;
      },
    });
  },
};

export const geminiCli: Client = {
  id: "gemini-cli",
  title: "Gemini CLI",
  // Gemini CLI passes its whole environment to servers (packages/core/src/tools/mcp-client.ts, 2026-11).
  passesEnvironment: true,
  locations: (system) => [
    { scope: "project", path: inProject(system, ".gemini", "settings.json") },
    { scope: "user", path: under(system, folder(system), "settings.json") },
  ],
  layoutOf: () => SETTINGS,
};

function folder(system: System): string {
  return under(system, pathFromEnvironment(system, "GEMINI_CLI_HOME") ?? system.home, ".gemini");
}

function disabledServers(enablement: unknown): Set<string> {
  const entries = isJsonObject(enablement) ? Object.entries(enablement) : [];
  return new Set(
    entries
      .filter(([, state]) => isJsonObject(state) && state["enabled"] === false)
      .map(([name]) => name.trim().toLowerCase()),
  );
}
