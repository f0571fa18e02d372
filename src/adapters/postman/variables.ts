import { isJsonObject, type JsonObject } from "../../model/json.js";
import { isSecretName } from "./secret.js";

/** Values of a collection's or a folder's variables. */
export type Values = ReadonlyMap<string, string>;

const MOST_ROUNDS = 10;
const LONGEST_VALUE = 2_000;
const VARIABLE = /\{\{\s*([^{}\s]{1,100})\s*\}\}/g;

/** Those of an outer folder and the own ones, which count first. */
export function extendValues(outer: Values, { variable }: JsonObject): Values {
  if (!Array.isArray(variable)) return outer;
  const own = variable.filter(isJsonObject).flatMap(({ key, id, value, type, disabled }): [string, string][] => {
    const name = typeof key === "string" ? key : id;
    // What is secret stays a variable, and with it out of everything that is shown.
    if (typeof name !== "string" || disabled === true || type === "secret" || isSecretName(name)) return [];
    const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    return isPlain && String(value) !== "" ? [[name, String(value).slice(0, LONGEST_VALUE)]] : [];
  });
  return own.length === 0 ? outer : new Map([...outer, ...own]);
}

/** The text with every variable replaced that has a value, also inside values. What has none stays as it is written. */
export function substitute(text: string, values: Values): string {
  let now = text;
  for (let round = 0; round < MOST_ROUNDS && now.includes("{{"); round += 1) {
    const next = now.replace(VARIABLE, (whole, name: string) => values.get(name) ?? whole);
    if (next === now || next.length > LONGEST_VALUE + text.length * 4) break;
    now = next;
  }
  return now;
}

/** The variable that a text consists of, or undefined. */
export function soleVariable(text: string): string | undefined {
  return /^\{\{\s*([^{}\s]{1,100})\s*\}\}$/.exec(text.trim())?.[1];
}
