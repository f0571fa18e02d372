import { isJsonObject, type JsonObject } from "../model/json.js";

/** Resolves a `$ref` within the same document; undefined for other references. */
export function followReference(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#")) return undefined;
  let found: unknown = root;
  for (const step of reference.slice(1).split("/").slice(1)) {
    const key = /[%~]/.test(step) ? decodeStep(step) : step;
    const isHere = (isJsonObject(found) || Array.isArray(found)) && Object.hasOwn(found, key);
    found = isHere ? (found as JsonObject)[key] : undefined;
  }
  return found;
}

function decodeStep(step: string): string {
  return decodePercents(step).replaceAll("~1", "/").replaceAll("~0", "~");
}

function decodePercents(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/**
 * Counts how often each `$ref` occurs in a document. Visits at most `maxParts` values. Iterative, so that deep nesting
 * cannot exhaust the stack.
 */
export function countReferences(document: unknown, maxParts: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const open: unknown[] = [document];
  for (let parts = 0; open.length > 0 && parts < maxParts; parts++) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    const reference = (next as JsonObject)["$ref"];
    if (typeof reference === "string") counts.set(reference, (counts.get(reference) ?? 0) + 1);
    for (const member of Object.values(next)) if (typeof member === "object") open.push(member);
  }
  return counts;
}
