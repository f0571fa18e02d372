import { isJsonObject } from "../../model/json.js";

const SECRET = /key|token|secret|passw|passphrase|auth|credential|session|signature|\bpin\b|cvv|cvc/i;

/** Whether what such a name holds is nobody's example: collections are exported with the values that somebody works with. */
export function isSecretName(name: string): boolean {
  return SECRET.test(name);
}

const DEEPEST = 20;

/** A value as an example: without members that may be secret, and without variables that have no value. */
export function toExample(value: unknown, depth = 0): unknown {
  if (depth > DEEPEST) return undefined;
  if (typeof value === "string") return hasVariable(value) ? undefined : value;
  if (Array.isArray(value)) return value.map((item) => toExample(item, depth + 1)).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const shown = isSecretName(name) ? undefined : toExample(member, depth + 1);
    return shown === undefined ? [] : [[name, shown] as const];
  });
  return Object.fromEntries(members);
}

/** Whether a variable stands in it. */
export function hasVariable(text: string): boolean {
  return text.includes("{{");
}
