import { isJsonObject, type JsonObject } from "../model/json.js";
import { followReference } from "../util/schema-reference.js";
import { cutAtWord } from "../util/text.js";
import { unsupportedOperation } from "./refuse.js";

/** Resolves `$ref` references inside one API document. External references are rejected and never read. */
export interface References {
  /**
   * Returns the value itself if it is not a reference, otherwise the value at the end of its chain of references.
   * Throws if a reference is external, missing or circular.
   */
  follow(value: unknown): unknown;
  /** Returns the JSON pointer at which a chain of references ends, and the value there. */
  resolve(reference: string): ReferenceTarget;
}

export interface ReferenceTarget {
  readonly pointer: string;
  readonly value: unknown;
}

const MAX_CHAIN_LENGTH = 50;

export function createReferences(root: JsonObject): References {
  const targets = new Map<string, ReferenceTarget>();

  function resolve(reference: string): ReferenceTarget {
    const known = targets.get(reference);
    if (known !== undefined) return known;
    let pointer = reference;
    for (let links = 0; links < MAX_CHAIN_LENGTH; links += 1) {
      const value = at(pointer, root);
      const next = referenceOf(value);
      if (next === undefined || hasMore(value)) {
        const target = { pointer, value };
        targets.set(reference, target);
        return target;
      }
      pointer = next;
    }
    throw unsupportedOperation(`refers to ${shown(reference)}, which refers to itself`);
  }

  function follow(value: unknown): unknown {
    let found = value;
    for (let links = 0; links < MAX_CHAIN_LENGTH; links += 1) {
      const reference = referenceOf(found);
      if (reference === undefined) return found;
      found = at(reference, root);
    }
    throw unsupportedOperation(`refers to ${shown(referenceOf(value) ?? "")}, which refers to itself`);
  }

  return { follow, resolve };
}

export function referenceOf(value: unknown): string | undefined {
  const reference = isJsonObject(value) && Object.hasOwn(value, "$ref") ? value["$ref"] : undefined;
  return typeof reference === "string" ? reference : undefined;
}

/** Whether an object has other keywords next to `$ref`. */
function hasMore(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length > 1;
}

function at(reference: string, root: JsonObject): unknown {
  if (!reference.startsWith("#"))
    throw unsupportedOperation(`refers to ${shown(reference)}, which is outside the document`);
  const isPointer = reference === "#" || reference.startsWith("#/");
  const found = isPointer ? followReference(reference, root) : undefined;
  if (found === undefined) throw unsupportedOperation(`refers to ${shown(reference)}, which does not exist`);
  return found;
}

function shown(reference: string): string {
  return JSON.stringify(cutAtWord(reference, 120));
}
