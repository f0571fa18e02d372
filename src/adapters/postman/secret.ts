import { isJsonObject } from "../../model/json.js";

const SECRET = /key|token|secret|pass|pwd|auth|credential|session|cookie|signature|bearer|private|iban/i;
/** Abbreviations that mark a secret if they are a whole word. They are too short to look for inside other words. */
const SECRET_WORD = /^(?:pw|pin|otp|totp|mfa|jwt|sid|sig|ssn|pan|cvv2?|cvc2?)\d*$/i;

/**
 * Whether the name suggests a secret. Values with such names are never shown as examples, because exported collections
 * contain the real values of their authors.
 */
export function isSecretName(name: string): boolean {
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").split(/[^A-Za-z0-9]+/);
  return SECRET.test(name) || words.some((word) => SECRET_WORD.test(word));
}

const MAX_DEPTH = 20;

/** Removes object members whose names suggest a secret, and strings with a variable that has no value. */
export function withoutSecretValues(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) return undefined;
  if (typeof value === "string") return hasVariable(value) ? undefined : value;
  if (Array.isArray(value))
    return value.map((item) => withoutSecretValues(item, depth + 1)).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const shown = isSecretName(name) ? undefined : withoutSecretValues(member, depth + 1);
    return shown === undefined ? [] : [[name, shown] as const];
  });
  return Object.fromEntries(members);
}

export function hasVariable(text: string): boolean {
  return text.includes("{{");
}
