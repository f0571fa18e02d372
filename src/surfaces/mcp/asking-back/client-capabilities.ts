import { isJsonObject, type JsonObject } from "../../../model/json.js";

const ASKABLE = ["elicitation", "sampling", "roots"];

/** Of what a client has declared, what it can be asked; undefined when that is nothing. */
export function toAskable(declared: unknown): JsonObject | undefined {
  if (!isJsonObject(declared)) return undefined;
  const found = ASKABLE.flatMap((name) =>
    isJsonObject(declared[name]) ? [[name, toModes(name, declared[name])]] : [],
  );
  return found.length === 0 ? undefined : (Object.fromEntries(found) as JsonObject);
}

/** Without any mode it means forms, as before there were modes (2025-06-18). */
function toModes(name: string, capability: JsonObject): JsonObject {
  const isBare = name === "elicitation" && capability["form"] === undefined && capability["url"] === undefined;
  return isBare ? { ...capability, form: {} } : capability;
}
