import type { JsonObject } from "../../model/json.js";
import { invalidRequest } from "../../util/invalid-request.js";
import { ExactNumber, isNumber, toCallerNumber, toJsonNumber } from "../exact-number.js";
import { keysOf } from "../json-keys.js";
import type { Slices } from "../slices.js";
import { writeJsonText } from "../write-json.js";
import { type JmesParameter, JMES_SIGNATURES } from "./signatures.js";
import type { JmesSteps } from "./steps.js";
import type { JmesKind, JmesNode } from "./tree.js";
import { compareScalars, isSameJmesValue, jmesType, setOwn, sortInSlices, valuesOf } from "./values.js";

type FunctionNode = Extract<JmesKind, { type: "function" }>;
type Evaluate = (node: JmesNode, value: unknown, steps: JmesSteps) => Slices<unknown>;

/** The characters that a function reads or writes for one step. */
const CHARACTERS_PER_STEP = 16;
/** The longest string that a function creates. */
const MAX_STRING_CHARACTERS = 16_000_000;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Calls a function of the JMESPath standard. `values` has null in the place of a reference. */
export function* callJmesFunction(
  { name, args }: FunctionNode,
  values: readonly unknown[],
  steps: JmesSteps,
  evaluate: Evaluate,
): Slices<unknown> {
  const parameters = JMES_SIGNATURES[name]?.parameters ?? [];
  for (const [index, value] of values.entries())
    yield* checkArgument(name, index, value, parameters[Math.min(index, parameters.length - 1)] ?? "any", steps);
  const [first, second] = values;
  const array = (Array.isArray(first) ? first : []) as readonly unknown[];
  const text = typeof first === "string" ? first : "";
  if (text !== "") if (steps.isPauseDue(Math.ceil(text.length / CHARACTERS_PER_STEP))) yield;
  const reference = args.find((argument) => argument.type === "reference");
  const evaluateReference = (value: unknown): Slices<unknown> =>
    evaluate(reference?.type === "reference" ? reference.expression : (args[0] as JmesNode), value, steps);

  switch (name) {
    case "abs":
      return first instanceof ExactNumber ? toJsonNumber(String(first).replace("-", "")) : Math.abs(Number(first));
    case "ceil":
    case "floor":
      if (first instanceof ExactNumber && /^-?\d+$/.test(String(first))) return first;
      return toFinite(name, name === "ceil" ? Math.ceil(Number(first)) : Math.floor(Number(first)));
    case "sum":
      return toFinite(name, yield* sumOf(array, steps));
    case "avg":
      return array.length === 0 ? null : toFinite(name, (yield* sumOf(array, steps)) / array.length);
    case "contains": {
      if (typeof first === "string") return typeof second === "string" && first.includes(second);
      for (const element of array) {
        if (steps.isPauseDue(1)) yield;
        if (yield* isSameJmesValue(element, second, steps)) return true;
      }
      return false;
    }
    case "starts_with":
      return text.startsWith(String(second));
    case "ends_with":
      return text.endsWith(String(second));
    case "join":
      return yield* join(text, second as readonly string[], steps);
    case "keys":
    case "values": {
      const object = first as JsonObject;
      return name === "keys" ? keysOf(object) : yield* valuesOf(object, steps);
    }
    case "length": {
      if (typeof first === "string") return countCodePoints(first);
      return Array.isArray(first) ? first.length : keysOf(Object(first)).length;
    }
    case "map": {
      const mapped: unknown[] = [];
      for (const element of second as readonly unknown[]) {
        if (steps.isPauseDue(1)) yield;
        mapped.push(yield* evaluateReference(element));
      }
      return mapped;
    }
    case "max":
    case "min":
      return yield* extreme(array, array, name === "max" ? 1 : -1, steps);
    case "max_by":
    case "min_by":
      return yield* extreme(
        array,
        yield* sortKeysOf(name, array, evaluateReference, steps),
        name === "max_by" ? 1 : -1,
        steps,
      );
    case "sort":
      return yield* sortInSlices(array, compareScalars, steps);
    case "sort_by": {
      const keys = yield* sortKeysOf(name, array, evaluateReference, steps);
      const pairs = array.map((element, index) => ({ element, key: keys[index] }));
      const sorted = yield* sortInSlices(pairs, (one, other) => compareScalars(one.key, other.key), steps);
      return sorted.map(({ element }) => element);
    }
    case "merge": {
      const merged: JsonObject = {};
      for (const object of values as readonly JsonObject[]) {
        const keys = keysOf(object);
        if (steps.isPauseDue(keys.length)) yield;
        for (const key of keys) setOwn(merged, key, object[key]);
      }
      return merged;
    }
    case "not_null":
      return values.find((value) => value !== null && value !== undefined) ?? null;
    case "reverse":
      if (steps.isPauseDue(array.length)) yield;
      return Array.isArray(first) ? [...array].reverse() : Array.from(text).reverse().join("");
    case "to_array":
      return Array.isArray(first) ? first : [first];
    case "to_number": {
      if (isNumber(first)) return first;
      return JSON_NUMBER.test(text) ? toCallerNumber(text) : null;
    }
    case "to_string":
      return typeof first === "string" ? first : yield* toJson(first, steps);
    case "type":
      return jmesType(first);
    default:
      return null;
  }
}

function* toJson(value: unknown, steps: JmesSteps): Slices<string> {
  const json = yield* writeJsonText(value, { maxCharacters: MAX_STRING_CHARACTERS });
  if (json === undefined) throw tooLong();
  if (steps.isPauseDue(Math.ceil(json.length / CHARACTERS_PER_STEP))) yield;
  return json;
}

function* checkArgument(
  name: string,
  index: number,
  value: unknown,
  parameter: JmesParameter,
  steps: JmesSteps,
): Slices<void> {
  if (parameter === "any" || parameter === "reference") return;
  const type = jmesType(value);
  const fail = (wanted: string, found: string): never => {
    throw invalidRequest(
      `The function ${name} of the selection needs ${wanted} as argument ${index + 1}, but the value is ${found}.`,
      "Select the value without the function first to see it. to_number and to_string convert values, not_null replaces null.",
    );
  };
  if (typeof parameter !== "string") {
    if (!parameter.includes(type)) fail(parameter.map(withArticle).join(" or "), withArticle(type));
    return;
  }
  if (!Array.isArray(value)) return fail(`an array of ${parameter}`, withArticle(type));
  const wanted = parameter === "numbers" ? "number" : parameter === "strings" ? "string" : jmesType(value[0]);
  const isSortable = value.length === 0 || wanted === "number" || wanted === "string";
  for (const [at, element] of value.entries()) {
    if (steps.isPauseDue(1)) yield;
    if (isSortable && jmesType(element) === wanted) continue;
    fail(`an array of ${parameter}`, `an array with ${withArticle(jmesType(element))} at index ${at}`);
  }
}

function withArticle(type: string): string {
  return type === "null" ? "null" : `${/^[ao]/.test(type) ? "an" : "a"} ${type}`;
}

/** JSON has no infinite numbers. */
function toFinite(name: string, number: number): number {
  if (Number.isFinite(number)) return number;
  throw invalidRequest(
    `The result of ${name} is too large for a number.`,
    "Select the numbers without the function to see them as the server wrote them.",
  );
}

function* sumOf(numbers: readonly unknown[], steps: JmesSteps): Slices<number> {
  let sum = 0;
  for (const number of numbers) {
    if (steps.isPauseDue(1)) yield;
    sum += Number(number);
  }
  return sum;
}

function* join(glue: string, parts: readonly string[], steps: JmesSteps): Slices<string> {
  let characters = 0;
  for (const part of parts) {
    characters += part.length + glue.length;
    if (characters > MAX_STRING_CHARACTERS) throw tooLong();
    if (steps.isPauseDue(1 + Math.ceil((part.length + glue.length) / CHARACTERS_PER_STEP))) yield;
  }
  return parts.join(glue);
}

function tooLong(): Error {
  return invalidRequest(
    `The selection creates a string of more than ${MAX_STRING_CHARACTERS.toLocaleString("en-US")} characters.`,
    "Select fewer elements before the function.",
  );
}

function countCodePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const isPair = (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    if (isPair) at += 1;
    count += 1;
  }
  return count;
}

/** The first element with the highest key (`sign` 1) or lowest key (`sign` -1); null if there is none. */
function* extreme(
  elements: readonly unknown[],
  keys: readonly unknown[],
  sign: number,
  steps: JmesSteps,
): Slices<unknown> {
  let best = 0;
  for (let at = 1; at < elements.length; at += 1) {
    if (steps.isPauseDue(1)) yield;
    if (compareScalars(keys[at], keys[best]) * sign > 0) best = at;
  }
  return elements[best] ?? null;
}

/** The values by which elements are compared: all numbers, or all strings. */
function* sortKeysOf(
  name: string,
  elements: readonly unknown[],
  evaluateReference: (value: unknown) => Slices<unknown>,
  steps: JmesSteps,
): Slices<unknown[]> {
  const keys: unknown[] = [];
  for (const element of elements) {
    if (steps.isPauseDue(1)) yield;
    const key = yield* evaluateReference(element);
    const type = jmesType(key);
    const wanted = keys.length === 0 ? undefined : jmesType(keys[0]);
    const isRight = (type === "number" || type === "string") && (wanted ?? type) === type;
    if (!isRight)
      throw invalidRequest(
        `The function ${name} of the selection needs a number for each element, or a string for each element, but the value for element ${keys.length} is ${withArticle(type)}${wanted === undefined ? "" : ` after a ${wanted}`}.`,
        "Remove such elements before with a filter, for example [?price != null].",
      );
    keys.push(key);
  }
  return keys;
}
