import { isJsonObject, type JsonObject } from "../../../model/json.js";

const SERVER_REQUESTS = ["elicitation", "sampling", "roots"];

/**
 * Returns the client capabilities that let a server send requests to the client (elicitation, sampling, roots);
 * undefined if there are none.
 */
export function toServerRequestCapabilities(declared: unknown): JsonObject | undefined {
  if (!isJsonObject(declared)) return undefined;
  const found = SERVER_REQUESTS.flatMap((name) =>
    isJsonObject(declared[name]) ? [[name, toModes(name, declared[name])]] : [],
  );
  return found.length === 0 ? undefined : (Object.fromEntries(found) as JsonObject);
}

/** Completes the elicitation capability: without modes it means form mode, because MCP 2025-06-18 had no modes. */
function toModes(name: string, capability: JsonObject): JsonObject {
  const isBare = name === "elicitation" && capability["form"] === undefined && capability["url"] === undefined;
  return isBare ? { ...capability, form: {} } : capability;
}
