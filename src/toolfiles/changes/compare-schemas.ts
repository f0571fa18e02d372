import { isJsonObject, type JsonObject } from "../../model/json.js";
import { canonicalJson } from "../../util/json/canonical.js";
import { followReference } from "../../util/schema-reference.js";
import { isEqualJson } from "../../util/json/is-equal.js";
import { summarizeDifference } from "../../util/text-difference.js";
import type { ChangeFindings } from "./findings.js";
import { type KeywordEffect, flagEffect, isEqualForPrograms, keywordEffect, presenceEffect } from "./keyword-effect.js";
import { listChange, typeLabel } from "./labels.js";
import { shownName, shownValue } from "./shown-text.js";
import { membersOf, TEXT_KEYWORDS, withoutTexts } from "./without-texts.js";

/**
 * Which schema of a tool is compared. An input schema may become wider and an output schema narrower without breaking
 * callers.
 */
export type SchemaRole = "input" | "output";

interface Roots {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly role: SchemaRole;
}

interface Location {
  readonly path: string;
  /**
   * Whether the location is inside `oneOf`. There, a wider alternative could make two alternatives match, so only texts
   * may change.
   */
  readonly isStrict: boolean;
}

const MAX_STEPS = 20_000;
const MAX_DEPTH = 200;
const MAX_HOPS = 50;
/** Keywords that are not compared directly. Definitions are compared where a `$ref` uses them. */
const IGNORED = new Set([...TEXT_KEYWORDS, "$ref", "$defs", "definitions"]);
const SCHEMAS = new Set(["additionalProperties", "items", "propertyNames"]);
const LISTS = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const NAMED = new Set(["properties", "patternProperties"]);
const REFERENCES = new Set(["$dynamicRef", "$recursiveRef"]);

/** Adds the differences between two schemas to `findings`. */
export function compareSchemas(roots: Roots, findings: ChangeFindings): void {
  if (isEqualJson(roots.before, roots.after)) return;
  const kind = findings.kind;
  const count = findings.lines().length;
  new SchemaComparison(roots, findings).schemas(roots.before, roots.after, { path: "", isStrict: false });
  const isSilent = findings.kind === kind && findings.lines().length === count;
  if (isSilent) findings.add("patch", `${roots.role} schema: written differently`);
}

class SchemaComparison {
  readonly #roots: Roots;
  readonly #findings: ChangeFindings;
  /** Whether only texts such as descriptions differ. References are not followed in that case. */
  readonly #isTextual: boolean;
  readonly #seen = new Set<string>();
  #steps = 0;
  #depth = 0;

  constructor(roots: Roots, findings: ChangeFindings) {
    this.#roots = roots;
    this.#findings = findings;
    this.#isTextual = isEqualForPrograms(roots.before, roots.after);
  }

  schemas(before: unknown, after: unknown, location: Location): void {
    this.#steps += 1;
    if (this.#steps > MAX_STEPS || this.#depth > MAX_DEPTH) {
      return this.#findings.add("major", "the schemas are too large to be compared");
    }
    const [old, now] = this.#inlined(before, after);
    if (isEqualJson(old, now) && !hasReference(old)) return;
    this.#depth += 1;
    if (isJsonObject(old) && isJsonObject(now)) this.#objects(withValues(old), withValues(now), location);
    else this.#add(flagEffect(old, now) ?? "other", location, `${shownValue(old)} → ${shownValue(now)}`);
    this.#depth -= 1;
  }

  #objects(before: JsonObject, after: JsonObject, location: Location): void {
    this.#texts(before, after, location);
    this.#references(before, after, location);
    const keywords = new Set([...Object.keys(before), ...Object.keys(after)]);
    if (keywords.has("required") || keywords.has("properties")) this.#members(before, after, location);
    for (const keyword of keywords) {
      if (!IGNORED.has(keyword)) this.#keyword(keyword, [before[keyword], after[keyword]], location);
    }
  }

  #texts(before: JsonObject, after: JsonObject, location: Location): void {
    for (const keyword of TEXT_KEYWORDS) {
      const [old, now] = [before[keyword], after[keyword]];
      if (isEqualJson(old, now)) continue;
      const areTexts = [old, now].every((text) => text === undefined || typeof text === "string");
      const line = areTexts
        ? summarizeDifference(old as string | undefined, now as string | undefined)
        : `${shownValue(old)} → ${shownValue(now)}`;
      this.#findings.add("patch", `${this.#label(location)}: ${keyword}: ${line}`);
    }
  }

  #references(before: JsonObject, after: JsonObject, location: Location): void {
    const [old, now] = [before["$ref"], after["$ref"]];
    if (old === undefined && now === undefined) return;
    if (typeof old !== "string" || typeof now !== "string") {
      return this.#add("other", location, `$ref ${shownValue(old)} → ${shownValue(now)}`);
    }
    const pair = JSON.stringify([old, now, location.isStrict]);
    if (this.#seen.has(pair)) return;
    this.#seen.add(pair);
    const targets = [follow(old, this.#roots.before), follow(now, this.#roots.after)] as const;
    if (targets[0] === undefined || targets[1] === undefined) {
      if (!this.#isTextual) this.#add("other", location, `$ref ${shownName(old)} → ${shownName(now)}`);
    } else this.schemas(...targets, location);
  }

  #members(before: JsonObject, after: JsonObject, location: Location): void {
    const [old, now] = [membersOf(before["properties"]), membersOf(after["properties"])];
    const [needed, neededNow] = [requiredOf(before), requiredOf(after)];
    for (const name of new Set([...Object.keys(old), ...needed, ...Object.keys(now), ...neededNow])) {
      const [was, is] = [Object.hasOwn(old, name) || needed.has(name), Object.hasOwn(now, name) || neededNow.has(name)];
      const inner = {
        ...location,
        path: location.path === "" ? shownName(name) : `${location.path}.${shownName(name)}`,
      };
      const label = this.#label(inner);
      if (!was) {
        const isHarmless = !location.isStrict && (this.#roots.role === "output" || !neededNow.has(name));
        const type = `${typeLabel(now[name])}, ${neededNow.has(name) ? "required" : "optional"}`;
        this.#findings.add(isHarmless ? "minor" : "major", `+ ${label} (${type})`);
      } else if (is) {
        this.#need([needed.has(name), neededNow.has(name)], inner);
        this.#schemaOrFlag(own(old, name), own(now, name), inner);
      } else this.#findings.add("major", `- ${label}`);
    }
  }

  #need([was, is]: readonly [boolean, boolean], location: Location): void {
    if (was === is) return;
    this.#add(was ? "wider" : "narrower", location, was ? "required → optional" : "optional → required");
  }

  #keyword(keyword: string, [before, after]: readonly [unknown, unknown], location: Location): void {
    if (keyword === "default") return this.#default(before, after, location);
    const areSchemas = [before, after].every((value) => value === undefined || isSchema(value));
    if (SCHEMAS.has(keyword) && areSchemas) {
      const path = keyword === "items" ? `${location.path}[]` : `${location.path}{${keyword}}`;
      return this.#schemaOrFlag(before, after, { ...location, path });
    }
    if (LISTS.has(keyword) && Array.isArray(before) && Array.isArray(after)) {
      return this.#lists(keyword, [before, after], location);
    }
    if (LISTS.has(keyword))
      return this.#add(presenceEffect(before, after), location, `${keyword} ${listChange(before, after)}`);
    if (keyword === "required" && [before, after].every((value) => value === undefined || Array.isArray(value))) return;
    if (NAMED.has(keyword) && [before, after].every((value) => value === undefined || isJsonObject(value))) {
      return keyword === "properties" ? undefined : this.#patterns(membersOf(before), membersOf(after), location);
    }
    this.#plain(keyword, [before, after], location);
  }

  #plain(keyword: string, [before, after]: readonly [unknown, unknown], location: Location): void {
    const isOpaque = !this.#isTextual && (hasReference(before) || REFERENCES.has(keyword));
    if (isEqualForPrograms(before, after) && !isOpaque) return;
    const effect = isOpaque ? "other" : keywordEffect(keyword, before, after);
    const line = keyword === "enum" ? listChange(before, after) : `${shownValue(before)} → ${shownValue(after)}`;
    this.#add(effect, location, `${shownName(keyword)} ${line}`);
  }

  /** Compares defaults. Changing an existing default affects callers that omit the parameter. */
  #default(before: unknown, after: unknown, location: Location): void {
    if (isEqualJson(before, after)) return;
    const kind = this.#roots.role === "output" ? "patch" : before === undefined ? "minor" : "major";
    this.#findings.add(kind, `${this.#label(location)}: default ${shownValue(before)} → ${shownValue(after)}`);
  }

  #schemaOrFlag(before: unknown, after: unknown, location: Location): void {
    const effect = flagEffect(before, after);
    if (effect === undefined) this.schemas(before, after, location);
    else this.#add(effect, location, `${typeLabel(before)} → ${typeLabel(after)}`);
  }

  #lists(
    keyword: string,
    [before, after]: readonly [readonly unknown[], readonly unknown[]],
    location: Location,
  ): void {
    const inner = { ...location, isStrict: location.isStrict || keyword === "oneOf" };
    const [old, now] = keyword === "prefixItems" ? [before, after] : this.#unpaired(before, after, inner);
    if (old.length === now.length) return old.forEach((schema, index) => this.schemas(schema, now[index], inner));
    const isMonotone = keyword === "anyOf" && (old.length === 0 || now.length === 0);
    const effect = isMonotone ? (old.length === 0 ? "wider" : "narrower") : "other";
    this.#add(effect, location, `${keyword} ${listChange(before, after)}`);
  }

  /**
   * Returns the alternatives that only one of the lists has. For alternatives that both lists have, only the
   * definitions that they refer to are compared.
   */
  #unpaired(before: readonly unknown[], after: readonly unknown[], location: Location): [unknown[], unknown[]] {
    const twins = new Map<string, unknown[]>();
    for (const schema of after) {
      const text = canonicalJson(schema);
      const others = twins.get(text);
      if (others === undefined) twins.set(text, [schema]);
      else others.push(schema);
    }
    const old = before.filter((schema) => {
      const twin = twins.get(canonicalJson(schema))?.pop();
      if (twin !== undefined) this.schemas(schema, twin, location);
      return twin === undefined;
    });
    return [old, [...twins.values()].flat()];
  }

  #patterns(before: JsonObject, after: JsonObject, location: Location): void {
    for (const pattern of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const inner = { ...location, path: `${location.path}{${shownName(pattern)}}` };
      const [old, now] = [own(before, pattern), own(after, pattern)];
      if (old === undefined || now === undefined) this.#add("other", inner, `${typeLabel(old)} → ${typeLabel(now)}`);
      else this.#schemaOrFlag(old, now, inner);
    }
  }

  #add(effect: KeywordEffect, location: Location, line: string): void {
    if (effect === "same") return;
    const harmless = this.#roots.role === "input" ? "wider" : "narrower";
    this.#findings.add(
      effect === harmless && !location.isStrict ? "minor" : "major",
      `${this.#label(location)}: ${line}`,
    );
  }

  #label({ path }: Location): string {
    const isInput = this.#roots.role === "input";
    if (path === "") return isInput ? "arguments" : "output";
    return `${isInput ? "parameter" : "output field"} ${path}`;
  }

  /** If only one of the two schemas is a `$ref`, replaces it with its target, so that both can be compared. */
  #inlined(before: unknown, after: unknown): readonly [unknown, unknown] {
    const [isOld, isNow] = [isReference(before), isReference(after)];
    if (isOld === isNow) return [before, after];
    return isOld ? [target(before, this.#roots.before), after] : [before, target(after, this.#roots.after)];
  }
}

function target(schema: unknown, root: unknown): unknown {
  let found = schema;
  for (let hops = 0; hops < MAX_HOPS && isReference(found); hops++) {
    found = follow(String(membersOf(found)["$ref"]), root);
  }
  return found;
}

/** Resolves a reference within the schema. Anchors (`#name`) are not resolved. */
function follow(reference: string, root: unknown): unknown {
  return /^#(\/|$)/.test(reference) ? followReference(reference, root) : undefined;
}

/** Replaces `const` with an `enum` of one value, so that both can be compared. */
function withValues(schema: JsonObject): JsonObject {
  if (!Object.hasOwn(schema, "const") || Object.hasOwn(schema, "enum")) return schema;
  const { const: value, ...others } = schema;
  return { ...others, enum: [value] };
}

function isReference(schema: unknown): boolean {
  return isJsonObject(schema) && Object.keys(membersOf(withoutTexts(schema))).join() === "$ref";
}

function isSchema(value: unknown): boolean {
  return isJsonObject(value) || typeof value === "boolean";
}

function hasReference(value: unknown): boolean {
  return value !== undefined && /"\$(ref|dynamicRef|recursiveRef)"/.test(JSON.stringify(value));
}

function requiredOf(schema: JsonObject): ReadonlySet<string> {
  const { required } = schema;
  return new Set(Array.isArray(required) ? required.filter((name) => typeof name === "string") : []);
}

function own(members: JsonObject, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}
