// Parameters of the few requests that the SDK answers by itself, with a list of zod's findings as an internal error
// (@modelcontextprotocol/server 2): what is wrong with them is told here, as the protocol has it.
import { isJsonObject, type JsonObject } from "../../model/json.js";

const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** Who says so in every request has no handshake: such requests are unknown there. */
const SAYS_REVISION = "io.modelcontextprotocol/protocolVersion";

/** What such a request lacks; undefined for all others. */
export function findWrongParams(method: string, params: JsonObject = {}): string | undefined {
  const meta = params["_meta"];
  if (isJsonObject(meta) && meta[SAYS_REVISION] !== undefined) return undefined;
  if (method === "initialize") return findInHandshake(params);
  if (method === "logging/setLevel" && !LEVELS.includes(params["level"] as string))
    return `${method} needs level, one of ${LEVELS.join(", ")}.`;
  return undefined;
}

function findInHandshake({ protocolVersion, capabilities, clientInfo }: JsonObject): string | undefined {
  if (typeof protocolVersion !== "string") return "initialize needs protocolVersion, a text.";
  if (!isJsonObject(capabilities)) return "initialize needs capabilities, an object.";
  const isNamed = isJsonObject(clientInfo) && [clientInfo["name"], clientInfo["version"]].every(isText);
  return isNamed ? undefined : "initialize needs clientInfo, an object with name and version, both texts.";
}

const isText = (value: unknown): boolean => typeof value === "string";
