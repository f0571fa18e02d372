import { isJsonObject, type JsonObject } from "../../model/json.js";
import { inHome, inProject, pathFromEnvironment, under } from "../system.js";
import type { Client, ClientServer, Layout } from "./client.js";
import { compact, readServerMap } from "./entry.js";

const CONFIG: Layout = {
  section: () => ({ format: "toml", keys: ["mcp_servers"] }),
  dialect: "code",
  read: (document) => {
    const { servers, ...rest } = readServerMap(document, "mcp_servers");
    const map = isJsonObject(document) && isJsonObject(document["mcp_servers"]) ? document["mcp_servers"] : {};
    return { ...rest, servers: servers.map((server) => withCodexKeys(server, map[server.name])) };
  },
};

export const codex: Client = {
  id: "codex",
  title: "Codex CLI",
  locations: (system) => [
    { scope: "project", path: inProject(system, ".codex", "config.toml") },
    {
      scope: "user",
      path: under(system, pathFromEnvironment(system, "CODEX_HOME") ?? inHome(system, ".codex"), "config.toml"),
    },
  ],
  layoutOf: () => CONFIG,
};

/** Converts the keys in which Codex names environment variables; Codex has no placeholders. */
function withCodexKeys(server: ClientServer, written: unknown): ClientServer {
  if (!isJsonObject(server.entry) || !isJsonObject(written)) return server;
  const isRemote = server.entry["url"] !== undefined;
  const added = isRemote ? { headers: headersOf(written) } : { env: environmentOf(written) };
  return { ...server, entry: compact({ ...server.entry, ...added }) };
}

function headersOf(written: JsonObject): JsonObject {
  const token = written["bearer_token_env_var"];
  return {
    ...membersOf(written["http_headers"]),
    ...mapValues(membersOf(written["env_http_headers"]), asVariable),
    ...(typeof token === "string" ? { Authorization: `Bearer \${${token}}` } : {}),
  };
}

function environmentOf(written: JsonObject): JsonObject {
  const passed = Array.isArray(written["env_vars"]) ? written["env_vars"] : [];
  const names = passed
    .map((variable: unknown) => (isJsonObject(variable) ? variable["name"] : variable))
    .filter((name): name is string => typeof name === "string");
  // Codex passes the variable if it is set; otherwise it starts the server without the variable.
  return { ...Object.fromEntries(names.map((name) => [name, `\${${name}:-}`])), ...membersOf(written["env"]) };
}

function asVariable(name: unknown): unknown {
  return typeof name === "string" ? `\${${name}}` : name;
}

function membersOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function mapValues(map: JsonObject, convert: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, convert(value)]));
}
