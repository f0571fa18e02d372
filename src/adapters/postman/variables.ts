import { isJsonObject, type JsonObject } from "../../model/json.js";
import { isSecretName } from "./secret.js";

/** The values of the variables of a collection or folder. */
export type PostmanValues = ReadonlyMap<string, string>;

const MAX_ROUNDS = 10;
const MAX_VALUE_LENGTH = 2_000;
const VARIABLE = /\{\{\s*([^{}\s]{1,100})\s*\}\}/g;

/** Adds the variables of a folder to those of its parent; the folder's values take precedence. */
export function extendValues(outer: PostmanValues, { variable }: JsonObject): PostmanValues {
  if (!Array.isArray(variable)) return outer;
  const own = variable.filter(isJsonObject).flatMap(({ key, id, value, type, disabled }): [string, string][] => {
    const name = typeof key === "string" ? key : id;
    // Leave out secrets: they remain variables, so that their values are never shown.
    if (typeof name !== "string" || disabled === true || type === "secret" || isSecretName(name)) return [];
    const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    return isPlain && String(value) !== "" ? [[name, String(value).slice(0, MAX_VALUE_LENGTH)]] : [];
  });
  return own.length === 0 ? outer : new Map([...outer, ...own]);
}

/**
 * Replaces every variable that has a value, including variables inside values. Variables without a value are left
 * unchanged.
 */
export function substitute(text: string, values: PostmanValues): string {
  let now = text;
  for (let round = 0; round < MAX_ROUNDS && now.includes("{{"); round += 1) {
    const next = now.replace(VARIABLE, (whole, name: string) => values.get(name) ?? whole);
    if (next === now || next.length > MAX_VALUE_LENGTH + text.length * 4) break;
    now = next;
  }
  return now;
}

/** Returns the variable name if the text consists of exactly one variable. */
export function soleVariable(text: string): string | undefined {
  return /^\{\{\s*([^{}\s]{1,100})\s*\}\}$/.exec(text.trim())?.[1];
}
