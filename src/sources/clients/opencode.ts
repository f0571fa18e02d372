import { isJsonObject, type JsonObject } from "../../model/json.js";
import { configHome, inProject, pathFromEnvironment, type System, under } from "../system.js";
import type { Client, ClientLocation, ClientServer, Layout } from "./client.js";
import { readServer } from "./entry.js";

const CONFIG: Layout = {
  section: () => ({ format: "json", keys: ["mcp"] }),
  dialect: "opencode",
  read: (document) => {
    const section = isJsonObject(document) ? document["mcp"] : undefined;
    if (section === undefined) return { servers: [] };
    const isNested = isJsonObject(section) && isServerMap(section["servers"]);
    const path = isNested ? ["mcp", "servers"] : ["mcp"];
    const map = isNested ? section["servers"] : section;
    if (!isJsonObject(map)) return { servers: [], faults: [{ path, reason: "must be a map of servers by name" }] };
    return { servers: Object.entries(map).flatMap(([name, entry]) => toServer([...path, name], entry)) };
  },
};

export const opencode: Client = {
  id: "opencode",
  title: "opencode",
  // opencode passes its whole environment to servers (packages/opencode/src/mcp/index.ts, 2026-11).
  passesEnvironment: true,
  locations: (system): ClientLocation[] => [
    ...["", ".opencode"].flatMap((folder) =>
      FILES.map((file) => ({ scope: "project" as const, path: inProject(system, folder, file) })),
    ),
    ...named(system),
    ...FILES.map((file) => ({ scope: "user" as const, path: under(system, configHome(system), "opencode", file) })),
  ],
  layoutOf: () => CONFIG,
};

const FILES = ["opencode.json", "opencode.jsonc"];

function named(system: System): ClientLocation[] {
  const path = pathFromEnvironment(system, "OPENCODE_CONFIG");
  return path ? [{ scope: "user", path }] : [];
}

/** opencode 2 has an extra level `servers` below `mcp`; in version 1 a server may be named `servers`. */
function isServerMap(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    !["type", "command", "url", "enabled"].some((key) => typeof value[key] !== "undefined" && !isJsonObject(value[key]))
  );
}

function toServer(path: readonly string[], entry: unknown): ClientServer[] {
  const name = path.at(-1) ?? "";
  if (!isJsonObject(entry)) return [{ name, path, entry }];
  // An entry with only one key enables or disables a server that the organization defines; it does not define a server.
  if (entry["command"] === undefined && entry["url"] === undefined && Object.keys(entry).length <= 1) return [];
  const { command, environment, ...rest } = entry;
  const [program, ...args] = Array.isArray(command) ? (command as unknown[]) : [command];
  const local: JsonObject = program === undefined ? {} : { command: program, args: [...args, ...listOf(rest["args"])] };
  return [readServer({ name, path, entry: { ...rest, ...local, env: environment ?? rest["env"] } })];
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
