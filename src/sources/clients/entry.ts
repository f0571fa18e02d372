import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { Path } from "../../util/document/problem.js";
import type { ToolFilter } from "../imported.js";
import type { ClientFindings, ClientServer } from "./client.js";

/** How the server entries of one program differ from the common format. */
export interface Spelling {
  /**
   * Returns the reason if the program disables the entry in a way of its own. Undefined if the entry is not disabled.
   */
  readonly disabled?: (name: string, entry: JsonObject) => string | undefined;
}

/** Reads the map of server entries by name under a key of the document. */
export function readServerMap(document: unknown, key: string, spelling: Spelling = {}): ClientFindings {
  const map = isJsonObject(document) ? document[key] : undefined;
  if (!isJsonObject(document) && document !== undefined) {
    return { servers: [], faults: [{ path: [], reason: `must be a map with the key "${key}"` }] };
  }
  if (map === undefined || map === null) return { servers: [] };
  if (!isJsonObject(map)) {
    return { servers: [], faults: [{ path: [key], reason: "must be a map of servers by name" }] };
  }
  return {
    servers: Object.entries(map).map(([name, entry]) => readServer({ name, path: [key, name], entry }, spelling)),
  };
}

/** Reads one server entry and accepts the key spellings of all programs. */
export function readServer(
  found: { readonly name: string; readonly path: Path; readonly entry: unknown },
  spelling: Spelling = {},
): ClientServer {
  const { name, path, entry } = found;
  if (!isJsonObject(entry)) return { name, path, entry };
  const disabled = disabledReason(entry) ?? spelling.disabled?.(name, entry);
  const tools = toolFilterOf(entry);
  return {
    name,
    path,
    entry: toCommonKeys(entry),
    ...(disabled === undefined ? {} : { disabled }),
    ...(tools === undefined ? {} : { tools }),
    notes: notesOn(entry),
  };
}

function toCommonKeys(entry: JsonObject): JsonObject {
  const url = firstOf(entry, ["httpUrl", "url", "serverUrl", "uri"]);
  // Default to `http`, which falls back to the legacy SSE transport; `sse` does not fall back to `http`.
  const type = transportOf(entry) ?? "http";
  // Some programs store a URL next to a command and use the command.
  const isRemote = entry["command"] === undefined && url !== undefined;
  return compact({
    type: isRemote ? type : undefined,
    description: entry["description"],
    ...(isRemote
      ? { url, headers: toTexts(entry["headers"]) }
      : {
          ...toProgram(entry["command"], toList(entry["args"])),
          env: toTexts(entry["env"]),
          cwd: firstOf(entry, ["cwd", "working_directory", "workingDirectory"]),
          envFile: entry["envFile"],
        }),
  });
}

/**
 * Splits a command that contains a complete command line, which some programs accept. A path with spaces to a program
 * is not split.
 */
function toProgram(command: unknown, args: unknown): JsonObject {
  if (typeof command !== "string" || !/\s/.test(command) || command.length > MAX_LINE_LENGTH) return { command, args };
  const [program = "", ...words] = [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
  const isLine = /^[\w.@-]+\s/.test(command) || (isProgram(program) && !isProgram(command));
  if (!isLine) return { command, args };
  return { command: program, args: Array.isArray(args) ? [...words, ...(args as unknown[])] : words };
}

function isProgram(path: string): boolean {
  try {
    if (!isAbsolute(path) || !statSync(path).isFile()) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const MAX_LINE_LENGTH = 8_192;

const TRANSPORTS: Readonly<Record<string, string>> = {
  sse: "sse",
  http: "http",
  https: "http",
  remote: "http",
  streamable: "http",
  "streamable-http": "http",
  streamable_http: "http",
  streamablehttp: "http",
  "http-stream": "http",
};

function transportOf(entry: JsonObject): unknown {
  const written = firstOf(entry, ["type", "transport", "transportType", "transport_type"]);
  if (typeof written !== "string") return undefined;
  return TRANSPORTS[written.toLowerCase()] ?? (written === "stdio" || written === "local" ? undefined : written);
}

function disabledReason(entry: JsonObject): string | undefined {
  if (entry["disabled"] === true) return "`disabled` is true";
  if (entry["enabled"] === false) return "`enabled` is false";
  return entry["sandboxEnabled"] === true
    ? "the program runs it in a sandbox, and this gateway has no sandbox"
    : undefined;
}

const ALLOW_KEYS = ["includeTools", "enabled_tools", "enabledTools", "available_tools", "allowedTools", "tools"];
const DENY_KEYS = ["excludeTools", "disabled_tools", "disabledTools"];

/**
 * Returns which tools the program offers. An empty list of allowed tools means all tools, as in the programs that write
 * such a list.
 */
function toolFilterOf(entry: JsonObject): ToolFilter | undefined {
  const allow = ALLOW_KEYS.flatMap((key) => namesIn(entry[key]));
  const deny = DENY_KEYS.flatMap((key) => namesIn(entry[key]));
  const allowsAll = allow.length === 0 || allow.includes("*");
  if (allowsAll && deny.length === 0) return undefined;
  return { ...(allowsAll ? {} : { allow }), ...(deny.length === 0 ? {} : { deny }) };
}

export function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name): name is string => typeof name === "string" && name !== "") : [];
}

const UNUSED_KEYS = ["timeout", "oauth", "auth", "headersHelper", "authProviderType", "dev", "watchPaths"];

function notesOn(entry: JsonObject): string[] {
  const approved = ["alwaysAllow", "autoApprove", "trust", "default_tools_approval_mode"].filter(
    (key) => entry[key] === true || entry[key] === "approve" || namesIn(entry[key]).length > 0,
  );
  const unused = UNUSED_KEYS.filter((key) => entry[key] !== undefined && entry[key] !== null && entry[key] !== false);
  return [
    ...approved.map((key) => `\`${key}\` was not imported: approvals given in another program do not apply here.`),
    ...unused.map((key) => `\`${key}\` is not used.`),
  ];
}

/**
 * Converts values to strings: programs accept numbers and booleans where text is expected, and null for a missing
 * value.
 */
export function toTexts(map: unknown): unknown {
  if (!isJsonObject(map)) return map ?? undefined;
  return Object.fromEntries(
    Object.entries(map).flatMap(([key, value]) => (value === null ? [] : [[key, toText(value)]])),
  );
}

function toList(list: unknown): unknown {
  return Array.isArray(list) ? list.map(toText) : (list ?? undefined);
}

function toText(value: unknown): unknown {
  return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
}

export function firstOf(entry: JsonObject, keys: readonly string[]): unknown {
  const key = keys.find((candidate) => entry[candidate] !== undefined && entry[candidate] !== null);
  return key === undefined ? undefined : entry[key];
}

export function compact(entry: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
}
