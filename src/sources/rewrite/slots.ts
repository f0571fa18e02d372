import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { Path } from "../../util/document/problem.js";
import type { ClientId } from "../options.js";
import type { System } from "../system.js";

/** A program and its arguments, as any client can start it. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

/** Where a file of a client takes a server, and how it is written there. */
export interface Slot {
  readonly container: Path;
  readonly kind: "map" | "list";
  readonly entry: (program: Program, name: string) => JsonObject;
}

const plain = ({ command, args }: Program): JsonObject => ({ command, args: [...args] });
const typed = (program: Program): JsonObject => ({ type: "stdio", ...plain(program) });

type FindSlot = (file: string, document: unknown) => Slot | undefined;

const mapAt =
  (entry: Slot["entry"], ...container: readonly string[]): FindSlot =>
  () => ({ container, kind: "map", entry });

/** Clients that do not write `mcpServers` with plain entries. */
const SLOTS: Readonly<Partial<Record<ClientId, FindSlot>>> = {
  "claude-code": mapAt(typed, "mcpServers"),
  vscode: (file) => ({
    container: file.endsWith("settings.json") ? ["mcp", "servers"] : ["servers"],
    kind: "map",
    entry: typed,
  }),
  zed: mapAt(plain, "context_servers"),
  codex: mapAt(plain, "mcp_servers"),
  // Without `tools` Copilot CLI offers none of a server's tools.
  "copilot-cli": mapAt((program) => ({ type: "local", ...plain(program), tools: ["*"] }), "mcpServers"),
  opencode: (_file, document) => ({ container: openCodeServers(document), kind: "map", entry: openCodeEntry }),
  goose: mapAt(gooseEntry, "extensions"),
  continue: (_file, document) => continueSlot(document),
  // An agent's file also lists, by the names of their servers, the tools that the agent may use.
  "amazon-q": (file) =>
    /[\\/]mcp\.json$/.test(file) ? { container: ["mcpServers"], kind: "map", entry: plain } : undefined,
  "docker-mcp": () => undefined,
};

/** Undefined for a file that the gateway cannot be registered in. */
export function slotOf(client: ClientId, file: string, document: unknown): Slot | undefined {
  return (SLOTS[client] ?? mapAt(plain, "mcpServers"))(file, document);
}

/** Clients that use all of their files together: one gateway is enough for them. */
export const ONE_FOR_ALL_FILES: ReadonlySet<ClientId> = new Set(["opencode", "continue"]);

function openCodeServers(document: unknown): Path {
  const section = isJsonObject(document) ? document["mcp"] : undefined;
  const isNested = isJsonObject(section) && isJsonObject(section["servers"]) && !("type" in section["servers"]);
  return isNested ? ["mcp", "servers"] : ["mcp"];
}

function openCodeEntry({ command, args }: Program): JsonObject {
  return { type: "local", command: [command, ...args], enabled: true };
}

function gooseEntry({ command, args }: Program, name: string): JsonObject {
  return {
    name,
    description: "All other servers",
    type: "stdio",
    enabled: true,
    cmd: command,
    args: [...args],
    envs: {},
    timeout: 300,
  };
}

/** `config.yaml` has a list; a file copied from another program a map; the older `config.json` a list of its own. */
function continueSlot(document: unknown): Slot {
  const listed = (program: Program, name: string): JsonObject => ({ name, ...plain(program) });
  const map = isJsonObject(document) ? document : {};
  if (isJsonObject(map["mcpServers"])) return { container: ["mcpServers"], kind: "map", entry: plain };
  const older = isJsonObject(map["experimental"]) ? map["experimental"]["modelContextProtocolServers"] : undefined;
  if (map["mcpServers"] !== undefined || !Array.isArray(older)) {
    return { container: ["mcpServers"], kind: "list", entry: listed };
  }
  return {
    container: ["experimental", "modelContextProtocolServers"],
    kind: "list",
    entry: (program, name) => ({ name, transport: typed(program) }),
  };
}

/** On Windows `npx` is a script: programs that start others without looking for one need a shell in front of it. */
const FINDS_SCRIPTS: ReadonlySet<ClientId> = new Set([
  "claude-desktop",
  "cursor",
  "windsurf",
  "vscode",
  "cline",
  "roo",
  "gemini-cli",
  "continue",
]);

/** How a client starts this gateway; with a file where the configuration lies elsewhere than the gateway looks by itself. */
export function gatewayProgram(client: ClientId, { platform }: Pick<System, "platform">, config?: string): Program {
  const args = ["-y", "@anygpt/discovery", ...(config === undefined ? [] : ["--config", config])];
  if (platform !== "win32" || FINDS_SCRIPTS.has(client)) return { command: "npx", args };
  return { command: "cmd", args: ["/c", "npx", ...args] };
}
