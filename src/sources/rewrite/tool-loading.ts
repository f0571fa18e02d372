// Some clients load the tools of a server only after the model has searched for them. The gateway's five tools are how
// the model finds everything else, so its entry asks these clients to load its tools at once.
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { Path } from "../../util/document/problem.js";
import type { ClientId } from "../options.js";

/**
 * The key with which an entry asks its client to load all tools of the server at once. Clients that are not listed have
 * no such key, or no public source documents it. `docs/how-to/clients.md` names the sources.
 */
const KEYS: Readonly<Partial<Record<ClientId, JsonObject>>> = {
  // Since Claude Code 2.1.121; older versions ignore the key.
  "claude-code": { alwaysLoad: true },
  // Since Copilot CLI 1.0.63.
  "copilot-cli": { deferTools: "never" },
  // Since Codex 0.147. Older versions ignore the key, except with the option `--strict-config`.
  codex: { omit_tools_from: ["deferred"] },
};

/** Since opencode 2. Version 1 rejects a configuration with this key; its files have no map `servers` below `mcp`. */
const OPENCODE_2: JsonObject = { codemode: false };

/** Returns the members to add to the gateway's entry in this map of servers. Empty if the client has no such key. */
export function loadingMembers(client: ClientId, servers: Path): JsonObject {
  if (client === "opencode") return isOpenCode2(servers) ? OPENCODE_2 : {};
  return KEYS[client] ?? {};
}

export function isOpenCode2(servers: Path): boolean {
  return servers.length === 2;
}

/**
 * Returns the members that an existing entry of the gateway lacks. An entry that has the key keeps its value, because
 * the user has chosen it.
 */
export function missingMembers(client: ClientId, path: Path, document: unknown): JsonObject {
  const entry = valueAt(document, path);
  if (!isJsonObject(entry)) return {};
  const members = Object.entries(loadingMembers(client, path.slice(0, -1)));
  return Object.fromEntries(members.filter(([key]) => !Object.hasOwn(entry, key)));
}

function valueAt(document: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) => (isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    document,
  );
}
