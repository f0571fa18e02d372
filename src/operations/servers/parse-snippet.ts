// Parses JSON that the user pasted from the documentation of a server or from an MCP client's file.
import { join } from "node:path";
import { DiscoveryError } from "../../errors.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { Client, ClientServer, Layout } from "../../sources/clients/client.js";
import { MCP_SERVERS } from "../../sources/clients/plain.js";
import { CLIENTS } from "../../sources/clients/table.js";
import { importServer } from "../../sources/import-server.js";
import { toConfigEntry } from "../../sources/rewrite/config-entry.js";
import type { System } from "../../sources/system.js";
import { toToolRules } from "../../sources/tool-rules.js";
import { parseJson } from "../../util/document/json.js";
import { describeInFile } from "../../util/document/problem.js";
import type { Document } from "../../util/document/tree.js";
import type { AddRequest } from "./add.js";
import { assertNoReferences, neutralizeEntry } from "./pasted-entry.js";

/** Whether an argument of the command line is JSON, not a name. */
export function isSnippet(word: string): boolean {
  return /^\s*(?:[{"`]|\/[/*])/.test(word);
}

/** Returns the servers in the text. `name` is required for a server without a name, and renames a single server. */
export function parseSnippet(text: string, name: string | undefined, system: System): AddRequest[] {
  const document = readDocument(text);
  const { layout, value } = recognize(document.value, name);
  const context = { system, path: join(system.cwd, "pasted.json"), companions: [] };
  const { servers, inputs = new Map(), faults = [] } = layout.read(value, context);
  const [fault] = faults;
  if (fault !== undefined) throw invalidRequest(`The JSON cannot be used: ${fault.path.join(".")} ${fault.reason}.`);
  if (name !== undefined && servers.length > 1) {
    throw new DiscoveryError(
      "INVALID_REQUEST",
      `The JSON contains ${servers.length} servers, so the name "${name}" cannot apply to all of them.`,
      {
        hint: "Omit the name: the JSON contains the names.",
      },
    );
  }
  if (servers.length === 0) throw invalidRequest("The JSON contains no server.");
  const parts = { client: PASTED, layout, file: context.path, scope: "user", document, system, inputs } as const;
  const drafts = servers.map((found) => toDraft(name === undefined ? found : { ...found, name }, parts));
  for (const draft of drafts) assertNoReferences(draft.name, draft.entry);
  return drafts;
}

/** A pseudo-client: pasted text is read like the file of an MCP client. */
const PASTED: Client = { id: "pasted", title: "the pasted text", locations: () => [], layoutOf: () => MCP_SERVERS };

function toDraft(found: ClientServer, parts: Parameters<typeof importServer>[1]): AddRequest {
  const own = ownEntry(parts.document.value, found);
  if (own !== undefined) return { name: found.name, ...neutralizeEntry(own, parts.system) };
  const result = importServer(found, parts);
  if (result.kind === "invalid") {
    const [problem] = result.problems;
    throw invalidRequest(
      `The server "${found.name}" cannot be added: ${problem === undefined ? "it is invalid" : describeInFile(problem)}.`,
    );
  }
  const { definition, envFile, tools, disabled, notes } = result.server;
  return {
    name: definition.name,
    entry: { ...toConfigEntry(definition, envFile), ...(disabled === undefined ? {} : { enabled: false }) },
    ...(tools === undefined ? {} : { toolRules: toToolRules(definition.name, tools) }),
    notes: [...(disabled === undefined ? [] : [`The server is added as disabled: ${disabled}.`]), ...notes],
  };
}

/** Returns the entry if it has a key that only this gateway supports: `connection` or `oauth`. */
function ownEntry(value: unknown, { name, path }: ClientServer): JsonObject | undefined {
  const entry = path.reduce<unknown>((here, key) => (isJsonObject(here) ? here[key] : undefined), value);
  const written = entry ?? (isJsonObject(value) ? (value[name] ?? value) : undefined);
  if (!isJsonObject(written)) return undefined;
  return isJsonObject(written["connection"]) || isJsonObject(written["oauth"]) ? written : undefined;
}

function readDocument(text: string): Document {
  const bare = text.trim().replace(/^```\w*\s*|\s*```$/g, "");
  // Documentation often shows a fragment of an object, without the braces.
  const whole = /^(?:\s|\/\/.*\n|\/\*[^]*?\*\/)*"/.test(bare) ? `{${bare}\n}` : bare;
  const parsed = parseJson(whole);
  if (parsed.kind === "document") return parsed.document;
  const [fault] = parsed.faults;
  const { line = 1, column = 1 } = fault?.position ?? {};
  throw new DiscoveryError(
    "INVALID_REQUEST",
    `The text is not JSON: line ${line}, column ${column}: ${(fault?.reason ?? "").replace(/^is not JSON: /, "")}.`,
    {
      hint: "In a shell, put single quotes around the JSON, or pass `-` and send it on standard input. JSON writes a backslash twice.",
    },
  );
}

interface Recognized {
  readonly layout: Layout;
  readonly value: unknown;
}

/** Recognizes the layout of an MCP client. Other text is an object of servers by name, or one server. */
function recognize(value: unknown, name: string | undefined): Recognized {
  if (!isJsonObject(value)) throw invalidRequest("The JSON is not an object.");
  const { mcpServers, servers, mcp, context_servers: zed } = value;
  if (isJsonObject(mcpServers)) return { layout: MCP_SERVERS, value };
  if (isJsonObject(zed)) return { layout: acceptingVariables(CLIENTS.zed.layoutOf("settings.json")), value };
  if (isJsonObject(mcp)) return { layout: acceptingVariables(mcpLayout(mcp)), value };
  if (isJsonObject(servers)) return { layout: acceptingVariables(CLIENTS.vscode.layoutOf("mcp.json")), value };
  if (!isServer(value)) return { layout: MCP_SERVERS, value: { mcpServers: value } };
  if (name === undefined) {
    throw new DiscoveryError("INVALID_REQUEST", "The JSON describes a server without a name.", {
      hint: { action: "run-command", command: "anygpt mcp add NAME '{ … }'", purpose: "add it with a name" },
    });
  }
  return { layout: MCP_SERVERS, value: { mcpServers: { [name]: value } } };
}

/** Finds the layout of JSON with a section `mcp`, such as the former settings of VS Code and the files of opencode. */
function mcpLayout({ servers, mcpServers }: JsonObject): Layout {
  if (isJsonObject(mcpServers))
    return { ...MCP_SERVERS, read: (value) => MCP_SERVERS.read(isJsonObject(value) ? value["mcp"] : value, NO_FILE) };
  return isJsonObject(servers) ? CLIENTS.vscode.layoutOf("settings.json") : CLIENTS.opencode.layoutOf("opencode.json");
}

const NO_FILE = { system: { platform: "linux", home: "/", cwd: "/", env: {} }, path: "", companions: [] };

/** Adds support for `${NAME}` to a layout: documentation uses it even for MCP clients that do not support it. */
function acceptingVariables(layout: Layout): Layout {
  return layout.dialect === "prefixed" || layout.dialect === "none" ? { ...layout, dialect: "code" } : layout;
}

const ADDRESS_KEYS = ["url", "serverUrl", "httpUrl", "uri"];

function isServer(value: JsonObject): boolean {
  const { command, connection } = value;
  if (typeof command === "string" || Array.isArray(command)) return true;
  return ADDRESS_KEYS.some((key) => typeof value[key] === "string") || isJsonObject(connection);
}

function invalidRequest(message: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, {
    hint: 'Paste `{ "mcpServers": { "NAME": { "command": … } } }`, or one server with a name before it.',
  });
}

/** Whether all braces outside of strings are closed. */
export function isBalanced(text: string): boolean {
  const marks = text.replace(/"(?:[^"\\]|\\.)*"/g, "").match(/[{}]/g) ?? [];
  return marks.reduce((depth, mark) => depth + (mark === "{" ? 1 : -1), 0) <= 0;
}
