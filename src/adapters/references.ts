import { isJsonObject, type JsonObject } from "../model/json.js";
import { followReference } from "../util/schema-reference.js";
import { cutAtWord } from "../util/text.js";
import { refuse } from "./refuse.js";

/** Finds what references of one document point at. Nothing outside of it is ever read. */
export interface References {
  /** The value, or what it refers to in the end. Refuses what is outside, missing or refers to itself. */
  follow(value: unknown): unknown;
  /** The pointer at which a chain of references ends, and what stands there. */
  resolve(reference: string): Target;
}

export interface Target {
  readonly pointer: string;
  readonly value: unknown;
}

const LONGEST_CHAIN = 50;

export function createReferences(root: JsonObject): References {
  const targets = new Map<string, Target>();

  function resolve(reference: string): Target {
    const known = targets.get(reference);
    if (known !== undefined) return known;
    let pointer = reference;
    for (let links = 0; links < LONGEST_CHAIN; links += 1) {
      const value = at(pointer, root);
      const next = referenceOf(value);
      if (next === undefined || hasMore(value)) {
        const target = { pointer, value };
        targets.set(reference, target);
        return target;
      }
      pointer = next;
    }
    throw refuse(`refers to ${shown(reference)}, which refers to itself`);
  }

  function follow(value: unknown): unknown {
    let found = value;
    for (let links = 0; links < LONGEST_CHAIN; links += 1) {
      const reference = referenceOf(found);
      if (reference === undefined) return found;
      found = at(reference, root);
    }
    throw refuse(`refers to ${shown(referenceOf(value) ?? "")}, which refers to itself`);
  }

  return { follow, resolve };
}

export function referenceOf(value: unknown): string | undefined {
  const reference = isJsonObject(value) && Object.hasOwn(value, "$ref") ? value["$ref"] : undefined;
  return typeof reference === "string" ? reference : undefined;
}

/** Whether something beside the reference says more. */
function hasMore(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length > 1;
}

function at(reference: string, root: JsonObject): unknown {
  if (!reference.startsWith("#")) throw refuse(`refers to ${shown(reference)}, which is outside the document`);
  const isPointer = reference === "#" || reference.startsWith("#/");
  const found = isPointer ? followReference(reference, root) : undefined;
  if (found === undefined) throw refuse(`refers to ${shown(reference)}, which does not exist`);
  return found;
}

function shown(reference: string): string {
  return JSON.stringify(cutAtWord(reference, 120));
}
