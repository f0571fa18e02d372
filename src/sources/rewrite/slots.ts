import { join } from "node:path";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { Path } from "../../util/document/problem.js";
import type { ClientId } from "../options.js";
import type { System } from "../system.js";
import { isOpenCode2 } from "./tool-loading.js";

/** A program and its arguments. */
export interface ProgramCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** Where a client's file contains servers, and how an entry is written. */
export interface Slot {
  readonly container: Path;
  readonly kind: "map" | "list";
  readonly entry: (program: ProgramCommand, name: string) => JsonObject;
}

const plain = ({ command, args }: ProgramCommand): JsonObject => ({ command, args: [...args] });
const typed = (program: ProgramCommand): JsonObject => ({ type: "stdio", ...plain(program) });

type FindSlot = (file: string, document: unknown) => Slot | undefined;

const mapAt =
  (entry: Slot["entry"], ...container: readonly string[]): FindSlot =>
  () => ({ container, kind: "map", entry });

/** How to register the gateway in clients that do not use `mcpServers` with plain entries. */
const SLOTS: Readonly<Partial<Record<ClientId, FindSlot>>> = {
  "claude-code": mapAt(typed, "mcpServers"),
  vscode: (file) => ({
    container: file.endsWith("settings.json") ? ["mcp", "servers"] : ["servers"],
    kind: "map",
    entry: typed,
  }),
  zed: mapAt(plain, "context_servers"),
  codex: mapAt(plain, "mcp_servers"),
  // Without `tools`, Copilot CLI offers none of the server's tools.
  "copilot-cli": mapAt((program) => ({ type: "local", ...plain(program), tools: ["*"] }), "mcpServers"),
  opencode: (_file, document) => openCodeSlot(document),
  goose: mapAt(gooseEntry, "extensions"),
  continue: (_file, document) => continueSlot(document),
  // An agent file of Amazon Q also lists the tools that the agent may use, by server name. The gateway would need
  // entries there too, so it is only registered in `mcp.json`.
  "amazon-q": (file) =>
    /[\\/]mcp\.json$/.test(file) ? { container: ["mcpServers"], kind: "map", entry: plain } : undefined,
  "docker-mcp": () => undefined,
};

/** Returns where to register the gateway in a file; undefined if it cannot be registered there. */
export function slotOf(client: ClientId, file: string, document: unknown): Slot | undefined {
  return (SLOTS[client] ?? mapAt(plain, "mcpServers"))(file, document);
}

/** Clients that merge all of their files, so that the gateway is registered in only one of them. */
export const ONE_FOR_ALL_FILES: ReadonlySet<ClientId> = new Set(["opencode", "continue"]);

/** opencode 2 has an extra level `servers` below `mcp`, and no key `enabled`. It also reads the files of version 1. */
function openCodeSlot(document: unknown): Slot {
  const section = isJsonObject(document) ? document["mcp"] : undefined;
  const isNested = isJsonObject(section) && isJsonObject(section["servers"]) && !("type" in section["servers"]);
  const container = isNested ? ["mcp", "servers"] : ["mcp"];
  const enabled = isOpenCode2(container) ? {} : { enabled: true };
  return {
    container,
    kind: "map",
    entry: ({ command, args }) => ({ type: "local", command: [command, ...args], ...enabled }),
  };
}

function gooseEntry({ command, args }: ProgramCommand, name: string): JsonObject {
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

/**
 * Continue's `config.yaml` has a list; a file copied from another program has a map; the older `config.json` has a list
 * under `experimental`.
 */
function continueSlot(document: unknown): Slot {
  const listed = (program: ProgramCommand, name: string): JsonObject => ({ name, ...plain(program) });
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

/**
 * How to start this gateway: by the path of its script on this machine, by that of a copy in the state folder, or, if
 * the program is part of another one, with `npx` from the package registry.
 */
export type GatewayStart =
  | { readonly kind: "npx" }
  | { readonly kind: "script" | "copy"; readonly node: string; readonly script: string };

const NPX: GatewayStart = { kind: "npx" };
/** Matches temporary folders of `npx`, `pnpm dlx` and `bunx`, which these programs may remove at any time. */
const TEMPORARY_FOLDER = /[\\/](?:_npx|dlx|dlx-[^\\/]*|bunx-[^\\/]*)[\\/]/;

/**
 * Returns how clients should start this gateway. If it runs from a clone or an installation, they start its script
 * there, because the package registry may have another version or none. If it runs from a temporary folder, they start
 * its copy in `copyFolder`.
 */
export function gatewayStart(
  own: { readonly root?: string; readonly paths: readonly string[] },
  node: string,
  copyFolder: string,
): GatewayStart {
  const script = own.paths.find((path) => /[\\/]discovery\.js$/.test(path));
  if (script === undefined) return NPX;
  if (!TEMPORARY_FOLDER.test(script)) return { kind: "script", node, script };
  return { kind: "copy", node, script: join(copyFolder, "bin", "discovery.js") };
}

/**
 * Returns the command with which a client starts this gateway; `config` is set if the configuration is not at a default
 * path.
 */
export function gatewayProgram(
  { platform }: Pick<System, "platform">,
  config?: string,
  start: GatewayStart = NPX,
): ProgramCommand {
  const options = config === undefined ? [] : ["--config", config];
  if (start.kind !== "npx") return { command: start.node, args: [start.script, ...options] };
  // In the folder of a project, npx would start the project's own copy of the package, look for packages in the registry
  // that the project's .npmrc names, and take `node` and `sh` from the project's node_modules/.bin.
  if (platform === "win32")
    return { command: "cmd", args: ["/c", "cd /d %USERPROFILE% && npx -y @anygpt/discovery", ...options] };
  return { command: "/bin/sh", args: ["-c", 'cd ~ && exec npx -y @anygpt/discovery "$@"', "sh", ...options] };
}
