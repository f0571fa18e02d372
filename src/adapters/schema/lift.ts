// Converts OpenAPI 2.0, 3.0 or 3.1 schemas to JSON Schema 2020-12, as a client that sends requests needs them.
// References become `$defs`, which are converted on demand: the document is never expanded as a whole.
import { isJsonObject, type JsonObject } from "../../model/json.js";
import { isForbiddenKey } from "../../util/json/violation.js";
import { sha256 } from "../../util/sha256.js";
import { referenceOf, type References } from "../references.js";
import { unsupportedOperation } from "../refuse.js";
import { toPlainText } from "../text.js";
import { keepsPattern, PLAIN_KEYWORDS, SCHEMA_KEYWORDS, toType } from "./keywords.js";

/** A converted schema and the JSON pointers of the definitions that it refers to. */
export interface Lifted {
  readonly schema: JsonObject;
  readonly needs: ReadonlySet<string>;
}

export interface Definition extends Lifted {
  readonly name: string;
  readonly bytes: number;
}

export interface Lifting {
  lift(raw: unknown): Lifted;
  /** Returns the converted schema at a JSON pointer. The result is cached. */
  definition(pointer: string): Definition;
}

/**
 * The maximum nesting depth of an argument's schema or a definition, chosen so that a tool's complete schema has at
 * most 64 levels.
 */
const MAX_DEPTH = 54;
const MAX_PARTS = 20_000;
/**
 * The maximum number of values converted for all schemas of a document. Without this limit, hostile documents would
 * take minutes.
 */
const MAX_TOTAL_PARTS = 4_000_000;
/**
 * The longest schema, in characters of JSON, that is written inline instead of as a definition. It must not contain
 * references.
 */
const MAX_INLINE_LENGTH = 1_000;

export function createLifting(references: References): Lifting {
  const definitions = new Map<string, Definition>();
  const inlined = new Map<string, JsonObject | undefined>();
  let totalParts = 0;

  function lift(raw: unknown): Lifted {
    const lifter = new Lifter(references, inline);
    const schema = lifter.run(raw);
    totalParts += lifter.parts;
    if (totalParts > MAX_TOTAL_PARTS)
      throw unsupportedOperation("exceeds the limit for the total size of the document's schemas");
    return { schema, needs: lifter.needs };
  }

  function definition(pointer: string): Definition {
    const known = definitions.get(pointer);
    if (known !== undefined) return known;
    const lifted = lift(references.resolve(pointer).value);
    const made = { ...lifted, name: definitionName(pointer), bytes: JSON.stringify(lifted.schema).length };
    definitions.set(pointer, made);
    return made;
  }

  function inline(pointer: string, raw: unknown): JsonObject | undefined {
    if (inlined.has(pointer)) return inlined.get(pointer);
    // Look for references in the raw schema, not in the converted one: the result must not depend on which schemas were
    // converted before.
    const { schema, needs } = hasReferences(raw) ? { schema: {}, needs: new Set([""]) } : lift(raw);
    const isSmall = needs.size === 0 && JSON.stringify(schema).length <= MAX_INLINE_LENGTH;
    inlined.set(pointer, isSmall ? schema : undefined);
    return inlined.get(pointer);
  }

  return { lift, definition };
}

/**
 * Whether the schema contains a reference. Also true for a schema with too many values, which is never written inline.
 */
function hasReferences(raw: unknown): boolean {
  const open: unknown[] = [raw];
  for (let parts = 0; open.length > 0; parts += 1) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    if (parts > MAX_INLINE_LENGTH || referenceOf(next) !== undefined) return true;
    for (const member of Object.values(next)) open.push(member);
  }
  return false;
}

const COMPONENT = /^#\/(?:components\/schemas|definitions)\/([A-Za-z_][\w.-]{0,99})$/;

/** The name in `$defs`: the name of a component, otherwise a name that no component can have. */
function definitionName(pointer: string): string {
  const name = COMPONENT.exec(pointer)?.[1];
  if (name !== undefined && !isForbiddenKey(name)) return name;
  const last = (pointer.split("/").at(-1) ?? "").replace(/[^\w.-]+/g, "_").slice(0, 40);
  return `${last}~${sha256(pointer).slice(0, 8)}`.replaceAll("~", "-at-");
}

/** Returns the converted schema at the pointer if it is small enough to be written inline. */
type Inline = (pointer: string, raw: unknown) => JsonObject | undefined;

class Lifter {
  readonly needs = new Set<string>();
  parts = 0;
  readonly #references: References;
  readonly #inline: Inline;

  constructor(references: References, inline: Inline) {
    this.#references = references;
    this.#inline = inline;
  }

  run(raw: unknown): JsonObject {
    const lifted = this.#schema(raw, 0);
    return lifted === true ? {} : lifted === false ? { not: {} } : lifted;
  }

  #schema(raw: unknown, depth: number): JsonObject | boolean {
    this.parts += 1;
    if (typeof raw === "boolean") return raw;
    if (!isJsonObject(raw) || depth > MAX_DEPTH || this.parts > MAX_PARTS) return {};
    const reference = referenceOf(raw);
    return reference === undefined ? this.#object(raw, depth) : this.#reference(reference, raw);
  }

  #reference(reference: string, raw: JsonObject): JsonObject {
    const { pointer, value } = this.#references.resolve(reference);
    const small = this.#inline(pointer, value);
    const description = toPlainText(raw["description"], 1_500);
    const described = description === undefined ? {} : { description };
    if (small !== undefined) return { ...small, ...described };
    this.needs.add(pointer);
    return { $ref: `#/$defs/${definitionName(pointer)}`, ...described };
  }

  #object(raw: JsonObject, depth: number): JsonObject {
    const isNullable = raw["nullable"] === true || raw["x-nullable"] === true;
    const lifted: JsonObject = {};
    const type = toType(raw["type"], isNullable);
    if (type !== undefined) lifted["type"] = type;
    for (const [keyword, value] of Object.entries(raw)) {
      const kept = PLAIN_KEYWORDS.get(keyword)?.(value) ?? this.#nested(keyword, value, depth);
      if (kept !== undefined) lifted[keyword] = kept;
    }
    if (raw["title"] !== undefined && lifted["description"] === undefined && depth > 0) {
      const title = toPlainText(raw["title"], 200);
      if (title !== undefined) lifted["description"] = title;
    }
    liftBounds(raw, lifted);
    liftTuple(lifted);
    withoutReadOnly(raw, lifted, this.#references);
    return isNullable ? withNull(lifted) : lifted;
  }

  #nested(keyword: string, value: unknown, depth: number): unknown {
    const kind = SCHEMA_KEYWORDS.get(keyword);
    if (kind === undefined) return undefined;
    if (kind === "list" || (keyword === "items" && Array.isArray(value))) {
      if (!Array.isArray(value) || value.length === 0) return undefined;
      return value.map((one) => this.#schema(one, depth + 2));
    }
    if (kind === "schema") {
      return isJsonObject(value) || typeof value === "boolean" ? this.#schema(value, depth + 1) : undefined;
    }
    if (!isJsonObject(value)) return undefined;
    const members = Object.entries(value).filter(
      ([name]) => isUsableName(name) && (keyword === "properties" || keepsPattern(name)),
    );
    return Object.fromEntries(members.map(([name, member]) => [name, this.#schema(member, depth + 2)]));
  }
}

/** Whether strict JSON accepts the name as an object key. */
export function isUsableName(name: string): boolean {
  return !isForbiddenKey(name) && name.isWellFormed() && !name.includes("\0") && name.length <= 500;
}

/** Converts a boolean `exclusiveMinimum` or `exclusiveMaximum`, as used up to OpenAPI 3.0. */
function liftBounds(raw: JsonObject, lifted: JsonObject): void {
  for (const [bound, exclusive] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const) {
    if (raw[exclusive] !== true || lifted[bound] === undefined) continue;
    lifted[exclusive] = lifted[bound];
    delete lifted[bound];
  }
}

/** Converts `items` with a list of schemas, as used before JSON Schema 2020-12, to `prefixItems`. */
function liftTuple(lifted: JsonObject): void {
  if (!Array.isArray(lifted["items"])) return;
  lifted["prefixItems"] = lifted["items"];
  delete lifted["items"];
}

/** Removes read-only members, which a request must not contain. */
function withoutReadOnly(raw: JsonObject, lifted: JsonObject, references: References): void {
  const given = raw["properties"];
  const properties = lifted["properties"];
  const removed = new Set<string>();
  if (isJsonObject(given) && isJsonObject(properties)) {
    for (const [name, member] of Object.entries(given)) {
      if (isUsableName(name) && !isReadOnly(member, references)) continue;
      removed.add(name);
      delete properties[name];
    }
  }
  const required = lifted["required"];
  if (!Array.isArray(required)) return;
  const left = required.filter((name) => !removed.has(String(name)) && isUsableName(String(name)));
  if (left.length === 0) delete lifted["required"];
  else lifted["required"] = left;
}

export function isReadOnly(member: unknown, references: References): boolean {
  if (!isJsonObject(member)) return false;
  if (member["readOnly"] === true) return true;
  const reference = referenceOf(member);
  if (reference === undefined) return false;
  const { value } = references.resolve(reference);
  return isJsonObject(value) && value["readOnly"] === true;
}

/**
 * Allows null for a schema with the OpenAPI 3.0 keyword `nullable`, if it has no `type` that could include null. An
 * `enum` without null is not changed: according to OpenAPI 3.0.3 it excludes null.
 */
function withNull(lifted: JsonObject): JsonObject {
  const isCombined = ["allOf", "oneOf", "anyOf"].some((keyword) => lifted[keyword] !== undefined);
  if (lifted["type"] !== undefined || !isCombined) return lifted;
  const { description, default: value, ...rest } = lifted;
  return {
    ...(description === undefined ? {} : { description }),
    ...(value === undefined ? {} : { default: value }),
    anyOf: [rest, { type: "null" }],
  };
}
