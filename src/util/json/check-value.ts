// Copies a JavaScript value from the caller as pure JSON, or returns every reason why it is not JSON.
import { numberFault } from "./number-fault.js";
import { shapeFault } from "./shape-fault.js";
import {
  isForbiddenKey,
  JSON_LIMITS,
  type JsonFault,
  type JsonLimits,
  type JsonViolation,
  MAX_VIOLATIONS,
  type StrictJson,
  toPointerStep,
  toViolation,
} from "./violation.js";

/** An array or object that is being copied. */
interface Level {
  readonly original: object;
  readonly copy: Record<string, unknown> | unknown[];
  readonly keys: readonly (string | number)[];
  next: number;
}

/**
 * Copies the value, because the caller could change it while it is validated, hashed and sent. Runs no getters, proxy
 * traps or `toJSON` of the value. Iterative, and bounded by the limits even if parts are shared.
 */
export function checkJsonValue(given: unknown, limits: Omit<JsonLimits, "maxBytes"> = JSON_LIMITS): StrictJson {
  return new Copying(limits).run(given);
}

class Copying {
  readonly #limits: Omit<JsonLimits, "maxBytes">;
  readonly #levels: Level[] = [];
  readonly #above = new Set<object>();
  readonly #violations: JsonViolation[] = [];
  #values = 0;
  #keys = 0;
  #isOver = false;

  constructor(limits: Omit<JsonLimits, "maxBytes">) {
    this.#limits = limits;
  }

  run(given: unknown): StrictJson {
    const value = this.#take(given);
    for (let level = this.#levels.at(-1); level !== undefined && !this.#isOver; level = this.#levels.at(-1)) {
      const key = level.keys[level.next];
      if (key === undefined) {
        this.#levels.pop();
        this.#above.delete(level.original);
      } else {
        level.next += 1;
        this.#takeMember(level, key);
      }
    }
    return this.#violations.length === 0 ? { kind: "value", value } : { kind: "refused", violations: this.#violations };
  }

  #takeMember({ original, copy }: Level, key: string | number): void {
    const member = Object.getOwnPropertyDescriptor(original, key);
    if (typeof key === "string") {
      const fault = isForbiddenKey(key) ? "forbidden-key" : scalarFault(key);
      if (fault !== undefined) this.#report(fault);
      if (fault === "forbidden-key") return;
    }
    if (member === undefined) this.#report("not-a-value", "a hole");
    else if (!("value" in member)) this.#report("not-a-value", "a getter");
    else if (member.enumerable !== true) this.#report("not-a-value", "hidden");
    else if (Array.isArray(copy)) copy.push(this.#take(member.value));
    else copy[key] = this.#take(member.value);
  }

  /** Returns the copy of a value. The copy of an array or object is filled later. */
  #take(value: unknown): unknown {
    this.#values += 1;
    if (this.#values > this.#limits.maxValues) return this.#end("too-many-values", this.#limits.maxValues);
    if (typeof value === "object" && value !== null) return this.#open(value);
    const fault = scalarFault(value);
    if (fault !== undefined) this.#report(fault, fault === "not-a-value" ? describe(value) : undefined);
    return value;
  }

  #open(original: object): unknown {
    const fault = this.#above.has(original) ? "it contains itself" : shapeFault(original);
    if (fault !== undefined) return this.#report("not-plain", fault);
    const { maxDepth, maxValues, maxKeys } = this.#limits;
    if (this.#levels.length === maxDepth) return this.#end("too-deep", maxDepth);
    const length = Array.isArray(original) ? original.length : 0;
    if (length > maxValues) return this.#end("too-many-values", maxValues);
    const keys = Array.isArray(original) ? [...original.keys()] : Object.getOwnPropertyNames(original);
    if (!Array.isArray(original)) this.#keys += keys.length;
    if (this.#keys > maxKeys) return this.#end("too-many-keys", maxKeys);
    const copy: Level["copy"] = Array.isArray(original) ? [] : {};
    this.#levels.push({ original, copy, keys, next: 0 });
    this.#above.add(original);
    return copy;
  }

  #report(kind: JsonFault, detail?: string): void {
    if (this.#violations.length === MAX_VIOLATIONS) return;
    const path = this.#levels.map(({ keys, next }) => toPointerStep(keys[next - 1] ?? "")).join("");
    this.#violations.push(toViolation(kind, path, detail));
  }

  #end(kind: JsonFault, limit: number): void {
    this.#isOver = true;
    this.#violations.splice(0, this.#violations.length, toViolation(kind, "", `at most ${limit}`));
  }
}

function scalarFault(value: unknown): JsonFault | undefined {
  if (typeof value === "number") return numberFault(value);
  if (typeof value !== "string") return value === null || typeof value === "boolean" ? undefined : "not-a-value";
  if (!value.isWellFormed()) return "lone-surrogate";
  return value.includes("\0") ? "null-character" : undefined;
}

function describe(value: unknown): string {
  return typeof value === "number" ? String(value) : typeof value;
}
