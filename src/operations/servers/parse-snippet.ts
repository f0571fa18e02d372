// Comes in: JSON that the user pasted, as documentation of servers and the files of MCP clients have it; goes out: drafts.
import { join } from "node:path";
import { DiscoveryError } from "../../errors.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { Client, FoundServer, Layout } from "../../sources/clients/client.js";
import { MCP_SERVERS } from "../../sources/clients/plain.js";
import { CLIENTS } from "../../sources/clients/table.js";
import { importServer } from "../../sources/import-server.js";
import { toConfigEntry } from "../../sources/rewrite/config-entry.js";
import type { System } from "../../sources/system.js";
import { toToolRules } from "../../sources/tool-rules.js";
import { parseJson } from "../../util/document/json.js";
import { describeInFile } from "../../util/document/problem.js";
import type { Document } from "../../util/document/tree.js";
import type { ServerDraft } from "./add.js";

/** Whether a word of a command line is such a text and no name. */
export function isSnippet(word: string): boolean {
  return /^\s*(?:[{"`]|\/[/*])/.test(word);
}

/** The servers of the text. A name is needed for a server without one, and may rename a single one. */
export function parseSnippet(text: string, name: string | undefined, system: System): ServerDraft[] {
  const document = readDocument(text);
  const { layout, value } = recognise(document.value, name);
  const context = { system, path: join(system.cwd, "pasted.json"), companions: [] };
  const { servers, inputs = new Map(), faults = [] } = layout.read(value, context);
  const [fault] = faults;
  if (fault !== undefined) throw wrong(`The JSON cannot be used: ${fault.path.join(".")} ${fault.reason}.`);
  if (name !== undefined && servers.length > 1) {
    throw new DiscoveryError("INVALID_REQUEST", `The JSON has ${servers.length} servers, and one name was given.`, {
      hint: "Leave the name out: each server has its own in the JSON.",
    });
  }
  if (servers.length === 0) throw wrong("The JSON has no server in it.");
  const parts = { client: PASTED, layout, file: context.path, scope: "user", document, system, inputs } as const;
  return servers.map((found) => toDraft(name === undefined ? found : { ...found, name }, parts));
}

/** What brings servers without being a client. */
const PASTED: Client = { id: "pasted", title: "the pasted text", places: () => [], layoutOf: () => MCP_SERVERS };

function toDraft(found: FoundServer, parts: Parameters<typeof importServer>[1]): ServerDraft {
  const own = ownEntry(parts.document.value, found);
  if (own !== undefined) return { name: found.name, entry: own };
  const result = importServer(found, parts);
  if (result.kind === "wrong") {
    const [problem] = result.problems;
    throw wrong(
      `The server "${found.name}" cannot be added: ${problem === undefined ? "it is wrong" : describeInFile(problem)}.`,
    );
  }
  const { definition, envFile, tools, disabled, notes } = result.server;
  return {
    name: definition.name,
    entry: { ...toConfigEntry(definition, envFile), ...(disabled === undefined ? {} : { enabled: false }) },
    ...(tools === undefined ? {} : { toolRules: toToolRules(definition.name, tools) }),
    notes: [...(disabled === undefined ? [] : [`It is added switched off: ${disabled}.`]), ...notes],
  };
}

/** An entry that only our own configuration can have is taken as it is. */
function ownEntry(value: unknown, { name, path }: FoundServer): JsonObject | undefined {
  const entry = path.reduce<unknown>((here, key) => (isJsonObject(here) ? here[key] : undefined), value);
  const written = entry ?? (isJsonObject(value) ? (value[name] ?? value) : undefined);
  if (!isJsonObject(written)) return undefined;
  return isJsonObject(written["connection"]) || isJsonObject(written["oauth"]) ? written : undefined;
}

function readDocument(text: string): Document {
  const bare = text.trim().replace(/^```\w*\s*|\s*```$/g, "");
  // A fragment of a map, as documentation often shows it.
  const whole = /^(?:\s|\/\/.*\n|\/\*[^]*?\*\/)*"/.test(bare) ? `{${bare}\n}` : bare;
  const parsed = parseJson(whole);
  if (parsed.kind === "document") return parsed.document;
  const [fault] = parsed.faults;
  const { line = 1, column = 1 } = fault?.position ?? {};
  throw new DiscoveryError(
    "INVALID_REQUEST",
    `The text is not JSON: line ${line}, column ${column}: ${(fault?.reason ?? "").replace(/^is not JSON: /, "")}.`,
    { hint: "Put single quotes around it in a shell, or use `-` and standard input. A backslash is written twice." },
  );
}

interface Recognised {
  readonly layout: Layout;
  readonly value: unknown;
}

/** Which program's layout the text has. What no program writes is a map of servers by name, or one server. */
function recognise(value: unknown, name: string | undefined): Recognised {
  if (!isJsonObject(value)) throw wrong("The JSON is not a map.");
  const { mcpServers, servers, mcp, context_servers: zed } = value;
  if (isJsonObject(mcpServers)) return { layout: MCP_SERVERS, value };
  if (isJsonObject(zed)) return { layout: generous(CLIENTS.zed.layoutOf("settings.json")), value };
  if (isJsonObject(mcp)) return { layout: generous(mcpLayout(mcp)), value };
  if (isJsonObject(servers)) return { layout: generous(CLIENTS.vscode.layoutOf("mcp.json")), value };
  if (!isServer(value)) return { layout: MCP_SERVERS, value: { mcpServers: value } };
  if (name === undefined) {
    throw new DiscoveryError("INVALID_REQUEST", "The JSON describes a server and does not say what it is called.", {
      hint: "Put a name before it: anygpt mcp add NAME '{ … }'.",
    });
  }
  return { layout: MCP_SERVERS, value: { mcpServers: { [name]: value } } };
}

/** The former settings of VS Code and the files of opencode both have a section `mcp`. */
function mcpLayout({ servers, mcpServers }: JsonObject): Layout {
  if (isJsonObject(mcpServers))
    return { ...MCP_SERVERS, read: (value) => MCP_SERVERS.read(isJsonObject(value) ? value["mcp"] : value, NOWHERE) };
  return isJsonObject(servers) ? CLIENTS.vscode.layoutOf("settings.json") : CLIENTS.opencode.layoutOf("opencode.json");
}

const NOWHERE = { system: { platform: "linux", home: "/", cwd: "/", env: {} }, path: "", companions: [] };

/** Documentation writes `${NAME}` for every program. */
function generous(layout: Layout): Layout {
  return layout.dialect === "prefixed" || layout.dialect === "none" ? { ...layout, dialect: "code" } : layout;
}

const ADDRESS_KEYS = ["url", "serverUrl", "httpUrl", "uri"];

function isServer(value: JsonObject): boolean {
  const { command, connection } = value;
  if (typeof command === "string" || Array.isArray(command)) return true;
  return ADDRESS_KEYS.some((key) => typeof value[key] === "string") || isJsonObject(connection);
}

function wrong(message: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, {
    hint: 'Paste `{ "mcpServers": { "NAME": { "command": … } } }`, or one server with a name before it.',
  });
}
