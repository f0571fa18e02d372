import { isDeepStrictEqual } from "node:util";
import type { ToolDetails } from "../../src/metatools/describe-tool.js";
import { isJsonObject, type JsonObject } from "../../src/model/json.js";
import { followReference } from "../../src/util/schema-reference.js";
import { areDisjoint } from "../../src/util/schema-options.js";
import { parseType, parseTypes } from "./parse-type.js";

/** Keywords without a constraint. */
const ANNOTATIONS = /^(?:\$schema|\$id|id|\$comment|\$anchor|\$defs|definitions|title|description|examples?|x-.*)$/u;
const SCALARS =
  /^(?:format|pattern|contentEncoding|contentMediaType|multipleOf|(?:min|max)(?:imum|Length|Items|Properties)|exclusiveM(?:in|ax)imum)$/u;
const MAX_PARTS = 400_000;

/** Every constraint of a schema as "path keyword value"; options of a union share their path. */
export function constraintsOf(schema: unknown, root: unknown = schema): Set<string> {
  const found = new Set<string>();
  let parts = 0;

  function visit(one: unknown, path: string, seen: readonly string[]): void {
    parts += 1;
    if (parts > MAX_PARTS) throw new Error("The schema has too many parts to be listed.");
    if (one === false) found.add(`${path} never`);
    if (!isJsonObject(one)) return;
    const say = (keyword: string, value: unknown = "") => found.add(`${path} ${keyword} ${JSON.stringify(value)}`);
    const sayValue = (value: unknown) => (value === null ? say("type", "null") : say("value", value));
    const inner = (more: string) => (member: unknown) => visit(member, `${path}${more}`, seen);
    for (const [keyword, value] of Object.entries(normalize(one))) {
      if (value === undefined || ANNOTATIONS.test(keyword)) continue;
      else if (keyword === "$ref" && typeof value === "string") follow(value, path, seen);
      else if (keyword === "type") for (const type of [value].flat()) say("type", type);
      else if (keyword === "const") sayValue(value);
      else if (keyword === "enum" && Array.isArray(value)) {
        if (value.length === 0) found.add(`${path} never`);
        for (const item of value) sayValue(item);
      } else if (keyword === "default" || SCALARS.test(keyword)) say(keyword, value);
      else if (/^(?:deprecated|readOnly|writeOnly|uniqueItems|nullable)$/u.test(keyword)) {
        if (value !== true) continue;
        if (keyword === "nullable") say("type", "null");
        else say(keyword);
      } else if (keyword === "required" && Array.isArray(value)) {
        for (const name of value) say("required", name);
        const known = isJsonObject(one["properties"]) ? one["properties"] : {};
        for (const name of value) {
          say("property", name);
          if (!Object.hasOwn(known, name)) inner(`.${name}`)(one["additionalProperties"]);
        }
      } else if (keyword === "properties" && isJsonObject(value)) {
        for (const [name, member] of Object.entries(value)) {
          say("property", name);
          inner(`.${name}`)(member);
        }
      } else if (keyword === "patternProperties" && isJsonObject(value)) {
        for (const [pattern, member] of Object.entries(value)) {
          say("patternProperty", pattern);
          inner(`./${pattern}/`)(member);
        }
      } else if (keyword === "additionalProperties" || keyword === "unevaluatedProperties") {
        say(value === false ? "closed" : "open");
        if (isJsonObject(value)) inner(".*")(value);
      } else if (keyword === "items" && !Array.isArray(value)) {
        if (value !== false || !Array.isArray(one["prefixItems"])) inner("[]")(value);
      } else if ((keyword === "prefixItems" || keyword === "items") && Array.isArray(value)) {
        if (value.length > 0) say("length", value.length);
        for (const [index, item] of value.entries()) inner(`[${index}]`)(item);
      } else if (keyword === "additionalItems" && Array.isArray(one["items"])) {
        if (value !== false) inner("[]")(value);
      } else if (/^(?:anyOf|oneOf|allOf)$/u.test(keyword) && Array.isArray(value)) {
        if (keyword === "oneOf" && value.length > 1 && !areDisjoint(value, root)) say("oneOf");
        for (const option of value) visit(option, path, seen);
      } else if (keyword === "not") {
        if (isEmpty(value) || value === true) found.add(`${path} never`);
        else inner("!")(value);
      } else if (keyword === "propertyNames") {
        if (!isPlainText(value)) say("open");
        inner("{name}")(isPlainText(value) ? {} : value);
      } else if (!isEmpty(value)) say(`other:${keyword}`, value);
    }
  }

  function follow(reference: string, path: string, seen: readonly string[]): void {
    if (seen.includes(reference)) return;
    const target = followReference(reference, root);
    if (target === undefined) found.add(`${path} unresolved ${reference}`);
    visit(target, path, [...seen, reference]);
  }

  visit(schema, "", []);
  return found;
}

/** Without limits that have no effect, with draft 4's booleans as numbers, and without types that the values imply. */
function normalize(schema: JsonObject): JsonObject {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...rest } = schema;
  const numbers: JsonObject = {
    minimum: exclusiveMinimum === true ? undefined : minimum,
    maximum: exclusiveMaximum === true ? undefined : maximum,
    exclusiveMinimum: exclusiveMinimum === true ? minimum : exclusiveMinimum || undefined,
    exclusiveMaximum: exclusiveMaximum === true ? maximum : exclusiveMaximum || undefined,
  };
  if (exclusiveMinimum === 0) numbers["exclusiveMinimum"] = 0;
  if (exclusiveMaximum === 0) numbers["exclusiveMaximum"] = 0;
  for (const [keyword, value] of Object.entries({ ...rest, ...numbers })) {
    const isCount = /^min(?:Length|Items|Properties)$/u.test(keyword);
    const isNothing =
      (isCount && value === 0) || (keyword.endsWith("imum") && Math.abs(Number(value)) >= Number.MAX_SAFE_INTEGER);
    if (!isNothing) numbers[keyword] = value;
    else delete numbers[keyword];
  }
  if (typeof numbers["pattern"] === "string") numbers["pattern"] = numbers["pattern"].replaceAll("\\/", "/");
  const values = "const" in numbers ? [numbers["const"]] : numbers["enum"];
  const types = [numbers["type"]].flat();
  if (Array.isArray(values) && values.every((value) => types.some((type) => isOf(value, type)))) delete numbers["type"];
  return numbers;
}

function isOf(value: unknown, type: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type && value !== null;
}

function isEmpty(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

function isPlainText(schema: unknown): boolean {
  if (!isJsonObject(schema)) return schema === true;
  return Object.entries(schema).every(
    ([key, value]) => ANNOTATIONS.test(key) || (key === "type" && value === "string"),
  );
}

export interface Comparison {
  /** In the schema but not in the text. */
  readonly lost: string[];
  /** In the text but not in the schema. */
  readonly invented: string[];
}

export function compareConstraints(original: Set<string>, reported: Set<string>): Comparison {
  const places = { original: placesWith(original, " type "), reported: placesWith(reported, " value ", " never") };
  return {
    // Values imply their types.
    lost: [...original].filter((entry) => !reported.has(entry) && !places.reported.has(placeOfType(entry))),
    // Objects and tuples list all allowed members; a schema without a type concerns the type of its keywords.
    invented: [...reported].filter((entry) => {
      const isGuess = entry.includes(" type ") && !places.original.has(placeOfType(entry));
      return !original.has(entry) && !entry.includes(" closed ") && !isGuess;
    }),
  };
}

function placesWith(entries: Set<string>, ...marks: string[]): Set<string | undefined> {
  const found = new Set<string | undefined>();
  for (const entry of entries) {
    for (const mark of marks) if (entry.includes(mark)) found.add(entry.slice(0, entry.indexOf(mark)));
  }
  return found;
}

/** The path of an entry about a type; other entries have no path. */
function placeOfType(entry: string): string | undefined {
  const end = entry.indexOf(" type ");
  return end === -1 ? undefined : entry.slice(0, end);
}

/** The constraints that the details of a tool do not state. */
export function compareDetails(details: ToolDetails, inputSchema: JsonObject): Comparison {
  const { parameters, additional, types, inputSchema: raw } = details;
  if (raw !== undefined)
    return { lost: isDeepStrictEqual(raw, inputSchema) ? [] : ["the raw schema differs"], invented: [] };
  const { $defs } = parseTypes("any", types);
  const properties = parameters.map(({ name, type, schema }) => {
    if (schema !== undefined) return [name, schema] as const;
    return [name, parseType(type)] as const;
  });
  const reported = {
    type: "object",
    properties: Object.fromEntries(properties),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: additional === undefined ? false : parseType(additional),
    $defs,
  };
  return compareConstraints(constraintsOf(inputSchema), constraintsOf(reported));
}
