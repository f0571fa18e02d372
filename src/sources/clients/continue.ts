import { isJsonObject, type JsonObject } from "../../model/json.js";
import { inHome, inProject, pathFromEnvironment, type System, under } from "../system.js";
import type { Client, ClientLocation, ClientFindings, ClientServer, Layout } from "./client.js";
import { readServer, readServerMap } from "./entry.js";

/** Continue's `config.yaml` and the YAML block files next to it: a list of servers with names. */
const YAML: Layout = {
  section: () => ({ format: "yaml", keys: ["mcpServers"] }),
  dialect: "continue",
  read: (document) => readList(document, ["mcpServers"]),
};

/**
 * Continue's JSON files: a block file may be an unchanged copy of another program's file; the older `config.json` has a
 * list.
 */
const JSON_FILE: Layout = {
  section: () => ({ format: "json", keys: ["mcpServers", "experimental"] }),
  dialect: "continue",
  read: (document) => {
    if (isJsonObject(document) && isJsonObject(document["mcpServers"])) return readServerMap(document, "mcpServers");
    const lists = [["mcpServers"], ["experimental", "modelContextProtocolServers"]].map((path) =>
      readList(document, path),
    );
    return {
      servers: lists.flatMap(({ servers }) => servers),
      faults: lists.flatMap(({ faults = [] }) => faults),
    };
  },
};

export const continueDev: Client = {
  id: "continue",
  title: "Continue",
  locations: (system): ClientLocation[] => [
    ...blocks(system, inProject(system, ".continue")).map((path) => ({ scope: "project" as const, path })),
    { scope: "user", path: under(system, globalFolder(system), "config.yaml") },
    ...blocks(system, globalFolder(system)).map((path) => ({ scope: "user" as const, path })),
    { scope: "user", path: under(system, globalFolder(system), "config.json") },
  ],
  layoutOf: (path) => (path.endsWith(".json") ? JSON_FILE : YAML),
};

function globalFolder(system: System): string {
  return pathFromEnvironment(system, "CONTINUE_GLOBAL_DIR") ?? inHome(system, ".continue");
}

function blocks(system: System, folder: string): string[] {
  return ["yaml", "yml", "json"].map((extension) => under(system, folder, "mcpServers", `*.${extension}`));
}

function readList(document: unknown, path: readonly string[]): ClientFindings {
  let list: unknown = document;
  for (const key of path) list = isJsonObject(list) ? list[key] : undefined;
  if (list === undefined || list === null) return { servers: [] };
  if (!Array.isArray(list)) return { servers: [], faults: [{ path, reason: "must be a list of servers" }] };
  return { servers: list.flatMap((entry: unknown, index) => toServer(entry, [...path, index])) };
}

function toServer(entry: unknown, path: readonly (string | number)[]): ClientServer[] {
  const index = path.at(-1);
  if (!isJsonObject(entry)) return [{ name: `server ${String(index)}`, path, entry }];
  // `uses` refers to a block on the Continue hub, whose content is not in the file.
  if (typeof entry["uses"] === "string") return [];
  const flat: JsonObject = isJsonObject(entry["transport"]) ? { ...entry, ...entry["transport"] } : entry;
  const options = flat["requestOptions"];
  const headers = isJsonObject(options) ? options["headers"] : flat["headers"];
  const name = typeof flat["name"] === "string" ? flat["name"] : `server ${String(index)}`;
  const { transport: _transport, ...rest } = flat;
  return [readServer({ name, path, entry: { ...rest, headers } })];
}
