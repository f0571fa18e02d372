// Validates the parameters of the requests that the SDK answers itself. The SDK (@modelcontextprotocol/server 2) would report
// invalid ones as an internal error with a list of zod issues; the protocol requires "invalid params".
import { isJsonObject, type JsonObject } from "../../model/json.js";

const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** Clients that send the revision with every request (modern era) have no handshake, and these methods do not exist there. */
const REVISION_META_KEY = "io.modelcontextprotocol/protocolVersion";

/** The reason why the parameters are invalid; undefined if they are valid, or if the method is not checked here. */
export function findInvalidParams(method: string, params: JsonObject = {}): string | undefined {
  const meta = params["_meta"];
  if (isJsonObject(meta) && meta[REVISION_META_KEY] !== undefined) return undefined;
  if (method === "initialize") return findInHandshake(params);
  if (method === "logging/setLevel" && !LEVELS.includes(params["level"] as string))
    return `${method} needs one of these values as level: ${LEVELS.join(", ")}.`;
  return undefined;
}

function findInHandshake({ protocolVersion, capabilities, clientInfo }: JsonObject): string | undefined {
  if (typeof protocolVersion !== "string") return "initialize needs a string as protocolVersion.";
  if (!isJsonObject(capabilities)) return "initialize needs an object as capabilities.";
  const isNamed = isJsonObject(clientInfo) && [clientInfo["name"], clientInfo["version"]].every(isText);
  return isNamed ? undefined : "initialize needs an object with the strings name and version as clientInfo.";
}

const isText = (value: unknown): boolean => typeof value === "string";
