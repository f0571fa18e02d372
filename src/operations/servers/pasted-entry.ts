// Removes references to secrets and commands from entries that another author wrote.
import { referencesOf } from "../../config/template.js";
import { DiscoveryError } from "../../errors.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import { createPlaceholders } from "../../sources/placeholders.js";
import type { System } from "../../sources/system.js";

export interface Neutralized {
  readonly entry: JsonObject;
  readonly notes: readonly string[];
}

/**
 * Replaces each reference to a secret or a program (`${keychain:…}`, `${command:…}`) by a variable, in every string at
 * every depth. Pasted text comes from another author, so it must not contain references.
 */
export function neutralizeEntry(entry: JsonObject, system: System): Neutralized {
  const placeholders = createPlaceholders({ dialect: "none", system, workspace: system.cwd, inputs: new Map() });
  const mapped = mapTexts(entry, placeholders.translate) as JsonObject;
  return { entry: mapped, notes: placeholders.notes() };
}

/** The last check before a pasted entry is used. Throws if any text or key contains a reference. */
export function assertNoReferences(name: string, value: unknown): void {
  const [reference] = referencesWithin(value);
  if (reference === undefined) return;
  throw new DiscoveryError("INVALID_REQUEST", `The server "${name}" cannot be added: it refers to \${${reference}}.`, {
    hint: "Pasted text must not run programs or read secrets. Write a variable such as ${NAME} instead.",
  });
}

function mapTexts(value: unknown, convert: (text: string) => string): unknown {
  if (typeof value === "string") return convert(value);
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, convert));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapTexts(member, convert)]));
}

function referencesWithin(value: unknown): string[] {
  if (typeof value === "string") return referencesOf(value);
  if (Array.isArray(value)) return value.flatMap((item: unknown) => referencesWithin(item));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => [...referencesOf(key), ...referencesWithin(member)]);
}
