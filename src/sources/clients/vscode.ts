import { isJsonObject } from "../../model/json.js";
import type { InputDefinition } from "../placeholders.js";
import { inProject, under } from "../system.js";
import type { Client, ClientLocation, ClientFindings, Layout } from "./client.js";
import { userFolders } from "./editors.js";
import { readServerMap } from "./entry.js";

const MCP_FILE: Layout = {
  section: () => ({ format: "json", keys: ["servers", "inputs"] }),
  dialect: "prefixed",
  read: (document) => readSection(document),
};

/** Until mid-2025, VS Code stored servers in `settings.json`, under the key `mcp`. */
const SETTINGS: Layout = {
  section: () => ({ format: "json", keys: ["mcp"] }),
  dialect: "prefixed",
  read: (document) => {
    const section = isJsonObject(document) ? document["mcp"] : undefined;
    if (section === undefined) return { servers: [] };
    const { servers, faults = [], ...rest } = readSection(section);
    return {
      ...rest,
      servers: servers.map((server) => ({ ...server, path: ["mcp", ...server.path] })),
      faults: faults.map(({ path, reason }) => ({ path: ["mcp", ...path], reason })),
    };
  },
};

export const vscode: Client = {
  id: "vscode",
  title: "VS Code",
  // VS Code passes its whole environment to servers (src/vs/workbench/api/node/extHostMcpNode.ts, 2026-11).
  passesEnvironment: true,
  locations: (system): ClientLocation[] => [
    { scope: "project", path: inProject(system, ".vscode", "mcp.json") },
    { scope: "project", path: inProject(system, ".vscode", "settings.json") },
    ...userFolders(system).flatMap((folder) =>
      [["mcp.json"], ["profiles", "*", "mcp.json"], ["settings.json"]].map((parts) => ({
        scope: "user" as const,
        path: under(system, folder, ...parts),
      })),
    ),
  ],
  layoutOf: (path) => (path.endsWith("settings.json") ? SETTINGS : MCP_FILE),
};

function readSection(section: unknown): ClientFindings {
  const inputs = isJsonObject(section) && Array.isArray(section["inputs"]) ? section["inputs"] : [];
  return { ...readServerMap(section, "servers"), inputs: new Map(inputs.flatMap(toInput)) };
}

function toInput(input: unknown): [string, InputDefinition][] {
  if (!isJsonObject(input) || typeof input["id"] !== "string") return [];
  const { id, description, password, default: fallback } = input;
  return [
    [
      id,
      {
        id,
        isPassword: password === true,
        ...(typeof description === "string" ? { description } : {}),
        ...(typeof fallback === "string" && fallback !== "" ? { fallback } : {}),
      },
    ],
  ];
}
