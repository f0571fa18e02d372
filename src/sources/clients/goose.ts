import { isJsonObject, type JsonObject } from "../../model/json.js";
import { applicationData, configHome, inHome, pathFromEnvironment, type System, under } from "../system.js";
import type { Client, ClientServer, Layout } from "./client.js";
import { namesIn, readServer, toTexts } from "./entry.js";
import type { InputDefinition } from "../placeholders.js";

const CONFIG: Layout = {
  section: () => ({ format: "yaml", keys: ["extensions"] }),
  dialect: "code",
  read: (document) => {
    const map = isJsonObject(document) ? document["extensions"] : undefined;
    if (map === undefined || map === null) return { servers: [] };
    const path = ["extensions"];
    if (!isJsonObject(map)) return { servers: [], faults: [{ path, reason: "must be a map of extensions by name" }] };
    return { servers: Object.entries(map).flatMap(([key, entry]) => toServer(key, entry)) };
  },
};

export const goose: Client = {
  id: "goose",
  title: "Goose",
  locations: (system) => [{ scope: "user", path: under(system, folder(system), "config.yaml") }],
  layoutOf: () => CONFIG,
};

function folder(system: System): string {
  const root = pathFromEnvironment(system, "GOOSE_PATH_ROOT");
  if (root) return under(system, root, "config");
  if (system.platform === "win32") return under(system, applicationData(system), "Block", "goose", "config");
  const config = system.platform === "darwin" ? inHome(system, ".config") : configHome(system);
  return under(system, config, "goose");
}

/**
 * Only entries of the types `stdio`, `streamable_http` and (formerly) `sse` are MCP servers; the other types are built
 * into Goose.
 */
function toServer(key: string, entry: unknown): ClientServer[] {
  const path = ["extensions", key];
  if (!isJsonObject(entry)) return [{ name: key, path, entry }];
  if (!["stdio", "streamable_http", "sse"].includes(String(entry["type"]))) return [];
  const secrets = namesIn(entry["env_keys"]);
  const env: JsonObject = {
    ...Object.fromEntries(secrets.map((name) => [name, `\${${name}}`])),
    ...(toTexts(entry["envs"]) as JsonObject | undefined),
  };
  const { cmd, ...rest } = entry;
  const server = readServer({
    name: key,
    path,
    entry: { ...rest, ...(cmd === undefined ? {} : { command: cmd, env }) },
  });
  const notes = secrets.map(
    (name) => `${name} is stored in the keyring of Goose and cannot be imported; set the environment variable ${name}.`,
  );
  return [{ ...server, notes: [...(server.notes ?? []), ...notes], inputs: new Map(secrets.map(asPassword)) }];
}

function asPassword(id: string): [string, InputDefinition] {
  return [id, { id, isPassword: true }];
}
