// A schema as OpenAPI 2.0, 3.0 or 3.1 writes it comes in, the same as JSON Schema 2020-12 goes out, seen by whoever sends a
// request. References become `$defs` by name, found when they are wanted: the document is never unfolded as a whole.
import { isJsonObject, type JsonObject } from "../../model/json.js";
import { isForbiddenKey } from "../../util/json/violation.js";
import { sha256 } from "../../util/sha256.js";
import { referenceOf, type References } from "../references.js";
import { refuse } from "../refuse.js";
import { toPlainText } from "../text.js";
import { keepsPattern, PLAIN_KEYWORDS, SCHEMA_KEYWORDS, toType } from "./keywords.js";

/** A lifted schema and the definitions that it refers to, by pointer. */
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
  /** What stands at a pointer, lifted once for all who refer to it. */
  definition(pointer: string): Definition;
}

/** In levels of JSON; below an argument or a definition, so that the whole stays within 64. */
const DEEPEST = 54;
const MOST_PARTS = 20_000;
/** Over all schemas of a document: beyond it, hostile documents would take minutes. */
const MOST_PARTS_IN_ALL = 4_000_000;
/** A small schema without references is written out where it is used. */
const LARGEST_INLINE = 1_000;

export function createLifting(references: References): Lifting {
  const definitions = new Map<string, Definition>();
  const inlined = new Map<string, JsonObject | undefined>();
  let partsInAll = 0;

  function lift(raw: unknown): Lifted {
    const lifter = new Lifter(references, inline);
    const schema = lifter.run(raw);
    partsInAll += lifter.parts;
    if (partsInAll > MOST_PARTS_IN_ALL) throw refuse("comes after too many large schemas in its document");
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
    // Whether it has references must not depend on what was lifted before: the same schema is always written the same way.
    const { schema, needs } = hasReferences(raw) ? { schema: {}, needs: new Set([""]) } : lift(raw);
    const isSmall = needs.size === 0 && JSON.stringify(schema).length <= LARGEST_INLINE;
    inlined.set(pointer, isSmall ? schema : undefined);
    return inlined.get(pointer);
  }

  return { lift, definition };
}

/** Whether a reference is found in the first parts of it; what is larger is not written out anyway. */
function hasReferences(raw: unknown): boolean {
  const open: unknown[] = [raw];
  for (let parts = 0; open.length > 0; parts += 1) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    if (parts > LARGEST_INLINE || referenceOf(next) !== undefined) return true;
    for (const member of Object.values(next)) open.push(member);
  }
  return false;
}

const COMPONENT = /^#\/(?:components\/schemas|definitions)\/([A-Za-z_][\w.-]{0,99})$/;

/** The component's own name; any other place gets one that no component can have. */
function definitionName(pointer: string): string {
  const name = COMPONENT.exec(pointer)?.[1];
  if (name !== undefined && !isForbiddenKey(name)) return name;
  const last = (pointer.split("/").at(-1) ?? "").replace(/[^\w.-]+/g, "_").slice(0, 40);
  return `${last}~${sha256(pointer).slice(0, 8)}`.replaceAll("~", "-at-");
}

/** A schema that is small enough to be written out where it is used. */
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
    if (!isJsonObject(raw) || depth > DEEPEST || this.parts > MOST_PARTS) return {};
    const reference = referenceOf(raw);
    return reference === undefined ? this.#object(raw, depth) : this.#reference(reference, raw);
  }

  #reference(reference: string, raw: JsonObject): JsonObject {
    const { pointer, value } = this.#references.resolve(reference);
    const small = this.#inline(pointer, value);
    const description = toPlainText(raw["description"], 1_500);
    const beside = description === undefined ? {} : { description };
    if (small !== undefined) return { ...small, ...beside };
    this.needs.add(pointer);
    return { $ref: `#/$defs/${definitionName(pointer)}`, ...beside };
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

/** Whether strict JSON takes it for the key of an argument. */
export function isUsableName(name: string): boolean {
  return !isForbiddenKey(name) && name.isWellFormed() && !name.includes("\0") && name.length <= 500;
}

/** `exclusiveMinimum: true` beside `minimum`, as it was up to 3.0. */
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

/** A list of schemas under `items`, as it was before 2020-12. */
function liftTuple(lifted: JsonObject): void {
  if (!Array.isArray(lifted["items"])) return;
  lifted["prefixItems"] = lifted["items"];
  delete lifted["items"];
}

/** What only the API itself may set has no place in a request. */
function withoutReadOnly(raw: JsonObject, lifted: JsonObject, references: References): void {
  const given = raw["properties"];
  const properties = lifted["properties"];
  const gone = new Set<string>();
  if (isJsonObject(given) && isJsonObject(properties)) {
    for (const [name, member] of Object.entries(given)) {
      if (isUsableName(name) && !isReadOnly(member, references)) continue;
      gone.add(name);
      delete properties[name];
    }
  }
  const required = lifted["required"];
  if (!Array.isArray(required)) return;
  const left = required.filter((name) => !gone.has(String(name)) && isUsableName(String(name)));
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

/** Of 3.0's `nullable` what a list of types cannot say. Choices without null stay so: by 3.0.3 they exclude it. */
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
