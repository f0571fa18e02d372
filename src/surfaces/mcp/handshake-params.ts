// Validates the parameters of requests that the SDK itself handles. For invalid parameters, the SDK
// (@modelcontextprotocol/server 2) would report an internal error with a list of zod issues, but MCP requires "invalid
// params".
import { isJsonObject, type JsonObject } from "../../model/json.js";

const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/**
 * The `_meta` member with which modern clients (MCP 2026-07-28 and later) send the revision in every request. They have
 * no handshake, so the methods in this file do not exist for them.
 */
const REVISION_META_KEY = "io.modelcontextprotocol/protocolVersion";

/**
 * Returns the reason why the parameters are invalid; undefined if they are valid, or if the method is not checked here.
 */
export function findInvalidParams(method: string, params: JsonObject = {}): string | undefined {
  const meta = params["_meta"];
  if (isJsonObject(meta) && meta[REVISION_META_KEY] !== undefined) return undefined;
  if (method === "initialize") return findInHandshake(params);
  if (method === "logging/setLevel" && !LEVELS.includes(params["level"] as string))
    return `${method} needs one of these values in "level": ${LEVELS.join(", ")}.`;
  return undefined;
}

function findInHandshake({ protocolVersion, capabilities, clientInfo }: JsonObject): string | undefined {
  if (typeof protocolVersion !== "string") return 'initialize needs a string in "protocolVersion".';
  if (!isJsonObject(capabilities)) return 'initialize needs an object in "capabilities".';
  const isNamed = isJsonObject(clientInfo) && [clientInfo["name"], clientInfo["version"]].every(isText);
  return isNamed ? undefined : 'initialize needs an object with the strings "name" and "version" in "clientInfo".';
}

const isText = (value: unknown): boolean => typeof value === "string";
