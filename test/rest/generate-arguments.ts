import { Validator } from "@cfworker/json-schema";
import { isJsonObject, type JsonObject } from "../../src/model/json.js";
import { createRandom, type Random } from "../faults/support/random.js";

const MAX_TRIES = 30;

/** Arguments that the schema allows, the same for the same seed; undefined if none were found. */
export function generateArguments(schema: JsonObject, seed: number): JsonObject | undefined {
  const validator = new Validator(schema, "2020-12", true);
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const random = createRandom(seed * 1000 + attempt);
    // Fewer optional members with each attempt: required members alone are easiest to generate.
    const optional = attempt < MAX_TRIES / 2 ? 0.4 : attempt < MAX_TRIES - 5 ? 0.1 : 0;
    const value = createGenerator(schema, random, optional)(schema, 0);
    if (isJsonObject(value) && validator.validate(value).valid) return value;
  }
  return undefined;
}

type Generate = (schema: unknown, depth: number) => unknown;

function createGenerator(root: JsonObject, random: Random, optional: number): Generate {
  function generate(given: unknown, depth: number): unknown {
    const schema = flatten(given, 0);
    if (schema["const"] !== undefined) return schema["const"];
    if (Array.isArray(schema["enum"])) return random.pick(schema["enum"].filter((value) => value !== null));
    switch (typeOf(schema)) {
      case "string":
        return toString(schema, random);
      case "integer":
      case "number":
        return toNumber(schema, random);
      case "boolean":
        return random.chance(0.5);
      case "array":
        return toList(schema, depth);
      case "null":
        return null;
      default:
        return toObject(schema, depth);
    }
  }

  /** One object with all constraints: references resolved, all of `allOf`, one of the alternatives. */
  function flatten(given: unknown, depth: number): JsonObject {
    if (!isJsonObject(given) || depth > 20) return {};
    const { $ref, allOf, oneOf, anyOf, ...own } = given;
    const parts: JsonObject[] = [own];
    if (typeof $ref === "string") parts.push(flatten(follow(root, $ref), depth + 1));
    for (const each of listOf(allOf)) parts.push(flatten(each, depth + 1));
    for (const choices of [listOf(oneOf), listOf(anyOf)]) {
      const real = choices.filter((choice) => !(isJsonObject(choice) && choice["type"] === "null"));
      if (real.length > 0) parts.push(flatten(random.pick(real), depth + 1));
    }
    return parts.reduce(merge);
  }

  function toList(schema: JsonObject, depth: number): unknown[] {
    const least = Number(schema["minItems"] ?? 0);
    const most = Math.min(Number(schema["maxItems"] ?? 3), least + 2);
    const wanted = depth > 4 ? least : Math.max(least, random.between(1, most + 1));
    const items = Array.from({ length: wanted }, () => generate(schema["items"], depth + 1));
    if (schema["uniqueItems"] !== true) return items;
    return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
  }

  function toObject(schema: JsonObject, depth: number): JsonObject {
    const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
    const required = new Set(listOf(schema["required"]));
    const chosen = Object.keys(properties).filter(
      (name) => required.has(name) || (depth < 3 && random.chance(optional)),
    );
    const [any] = Object.keys(properties);
    // A form cannot express an empty object.
    if (chosen.length === 0 && any !== undefined && depth > 0 && depth < 8) chosen.push(any);
    const value = Object.fromEntries(chosen.map((name) => [name, generate(properties[name], depth + 1)]));
    const { additionalProperties: more } = schema;
    if (isJsonObject(more) && chosen.length === 0 && depth < 3) value["some key"] = generate(more, depth + 1);
    return value;
  }

  return generate;
}

function merge(left: JsonObject, right: JsonObject): JsonObject {
  const properties = { ...asObject(left["properties"]), ...asObject(right["properties"]) };
  const required = [...new Set([...listOf(left["required"]), ...listOf(right["required"])])];
  const whole: JsonObject = { ...left, ...right, ...(left["type"] === undefined ? {} : { type: left["type"] }) };
  if (Object.keys(properties).length > 0) whole["properties"] = properties;
  if (required.length > 0) whole["required"] = required;
  return whole;
}

function typeOf(schema: JsonObject): string {
  const { type } = schema;
  if (Array.isArray(type)) return String(type.find((each) => each !== "null") ?? "null");
  if (typeof type === "string") return type;
  if (schema["properties"] !== undefined || schema["additionalProperties"] !== undefined) return "object";
  if (schema["items"] !== undefined) return "array";
  return schema["minimum"] === undefined && schema["maximum"] === undefined ? "string" : "number";
}

const FORMATS: Readonly<Record<string, readonly string[]>> = {
  date: ["2024-02-29"],
  "date-time": ["2024-02-29T12:30:00Z"],
  time: ["12:30:00Z"],
  duration: ["P1D"],
  uuid: ["3f2b1c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d"],
  email: ["ann@example.com"],
  uri: ["https://example.com/a?b=c&d=e"],
  url: ["https://example.com/a?b=c&d=e"],
  hostname: ["example.com"],
  ipv4: ["192.0.2.1"],
  ipv6: ["2001:db8::1"],
  byte: ["aGVsbG8="],
  "unix-time": ["1700000000"],
};

/** Texts with every character that has a special meaning somewhere. */
const WORDS = [
  "plain",
  "two words",
  "a/b",
  "100%",
  "x&y=z",
  "#1",
  "q?",
  "a+b",
  "semi;colon",
  "é",
  "日本",
  "[x]",
  "it's",
  '"q"',
  "a:b@c",
  "~!*()",
];
/** Texts for common patterns of documents. */
const SHAPED = [
  "a",
  "abc",
  "A",
  "ABC",
  "USD",
  "1",
  "123",
  "1.5",
  "0.01",
  "abc123",
  "abc-123",
  "a_b",
  "2024-02-29",
  "12:30",
  "#aabbcc",
  "+14155550100",
  "en",
  "en-US",
  "https://example.com/",
  "ann@example.com",
  "3f2b1c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d",
  "0123456789abcdef0123456789abcdef01234567",
  "0123456789abcdef0123456789abcdef",
  "/a",
  "1700000000",
];

function toString(schema: JsonObject, random: Random): string {
  const { pattern, format } = schema;
  const least = Number(schema["minLength"] ?? 0);
  const most = Number(schema["maxLength"] ?? 1000);
  const fits = (text: string): boolean => text.length >= least && text.length <= most;
  if (typeof pattern === "string") {
    const expression = new RegExp(pattern, "u");
    const found = SHAPED.filter((text) => fits(text) && expression.test(text));
    const made = found.length > 0 ? random.pick(found) : expand(pattern);
    return made.padEnd(least, "a");
  }
  const shaped = typeof format === "string" ? FORMATS[format] : undefined;
  if (shaped !== undefined) return random.pick(shaped);
  const fitting = WORDS.filter(fits);
  if (fitting.length > 0) return random.pick(fitting);
  return "x".repeat(Math.min(Math.max(least, 1), most));
}

/** A text for a simple pattern: characters and classes, each with a count. Other patterns give invalid text, which is detected. */
function expand(pattern: string): string {
  const pieces =
    pattern
      .replace(/^\^|\$$/g, "")
      .replace(/\((?:\?:)?(\w+)\|[^()]*\)/g, "$1")
      .match(/(?:\\.|\[(?:\\.|[^\]])+\]|.)(?:\{\d+(?:,\d*)?\}|[+*?])?/gu) ?? [];
  return pieces
    .map((piece) => {
      const count = /\{(\d+)/.exec(piece)?.[1] ?? (/[^\\][*?]$/.test(piece) ? "0" : "1");
      return characterOf(piece).repeat(Number(count));
    })
    .join("");
}

function characterOf(piece: string): string {
  if (/^(?:\\d|\[\\d|\[0-9)/.test(piece)) return "7";
  if (/^(?:\\w|\[\\w|\[a-z)/.test(piece)) return "a";
  if (piece.startsWith("[A-Z")) return "A";
  return piece.replace(/^\[|^\\/g, "").slice(0, 1);
}

function toNumber(schema: JsonObject, random: Random): number {
  const step = Number(schema["multipleOf"] ?? 1);
  const least = bound(schema["minimum"], schema["exclusiveMinimum"], step) ?? 1;
  const most = bound(schema["maximum"], schema["exclusiveMaximum"], -step) ?? least + 100;
  const steps = Math.max(0, Math.floor((Math.min(most, least + 1000) - least) / step));
  return Math.ceil(least / step) * step + random.between(0, steps + 1) * step;
}

function bound(inclusive: unknown, exclusive: unknown, step: number): number | undefined {
  if (typeof exclusive === "number") return exclusive + step;
  return typeof inclusive === "number" ? inclusive : undefined;
}

function follow(root: JsonObject, reference: string): unknown {
  return reference
    .slice(2)
    .split("/")
    .map((name) => decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((value, name) => (isJsonObject(value) ? value[name] : undefined), root);
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
