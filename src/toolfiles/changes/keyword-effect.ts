import { isJsonObject } from "../../model/json.js";
import { canonicalJson } from "../../util/json/canonical.js";
import { isEqualJson } from "../../util/json/is-equal.js";
import { TEXT_KEYWORDS, withoutTexts } from "./without-texts.js";

/**
 * How a changed schema affects the set of valid values. `other`: it cannot be shown to be only wider or only narrower.
 */
export type KeywordEffect = "same" | "wider" | "narrower" | "other";

const LOWER = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"]);
const UPPER = new Set(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"]);

/** Returns the effect of a changed keyword that contains no nested schema. `undefined` is a missing keyword. */
export function keywordEffect(keyword: string, before: unknown, after: unknown): KeywordEffect {
  if (isEqualJson(before, after)) return "same";
  if (keyword === "type") return typeEffect(typesOf(before), typesOf(after));
  if (keyword === "enum") return valuesEffect(before, after);
  if (LOWER.has(keyword)) return boundEffect(before, after, -1);
  if (UPPER.has(keyword)) return boundEffect(before, after, 1);
  if (keyword === "multipleOf") return multipleEffect(before, after);
  if (keyword === "uniqueItems") return boundEffect(Number(before !== true), Number(after !== true), 1);
  if (keyword === "pattern" || keyword === "format") return presenceEffect(before, after);
  return "other";
}

export function presenceEffect(before: unknown, after: unknown): KeywordEffect {
  if (before === undefined) return "narrower";
  return after === undefined ? "wider" : "other";
}

/** The types in the keyword `type`. `undefined` means every type, `null` an invalid value. */
function typesOf(type: unknown): readonly string[] | undefined | null {
  if (type === undefined) return undefined;
  const types = Array.isArray(type) ? type : [type];
  return types.every((one) => typeof one === "string") ? types : null;
}

function typeEffect(
  before: readonly string[] | undefined | null,
  after: readonly string[] | undefined | null,
): KeywordEffect {
  if (before === null || after === null) return "other";
  if (before === undefined || after === undefined) return before === undefined ? "narrower" : "wider";
  const covers = (types: readonly string[], type: string) =>
    types.includes(type) || (type === "integer" && types.includes("number"));
  const [isWider, isNarrower] = [
    before.every((type) => covers(after, type)),
    after.every((type) => covers(before, type)),
  ];
  if (isWider && isNarrower) return "same";
  return isWider ? "wider" : isNarrower ? "narrower" : "other";
}

function valuesEffect(before: unknown, after: unknown): KeywordEffect {
  if (before === undefined || after === undefined) return presenceEffect(before, after);
  if (!Array.isArray(before) || !Array.isArray(after)) return "other";
  const [old, now] = [new Set(before.map(canonicalJson)), new Set(after.map(canonicalJson))];
  const [isWider, isNarrower] = [[...old].every((value) => now.has(value)), [...now].every((value) => old.has(value))];
  if (isWider && isNarrower) return "same";
  return isWider ? "wider" : isNarrower ? "narrower" : "other";
}

function boundEffect(before: unknown, after: unknown, outward: 1 | -1): KeywordEffect {
  const isBound = (bound: unknown) => bound === undefined || typeof bound === "number";
  if (!isBound(before) || !isBound(after)) return "other";
  if (before === undefined || after === undefined) return presenceEffect(before, after);
  const difference = (after - before) * outward;
  if (difference === 0) return "same";
  return difference > 0 ? "wider" : "narrower";
}

function multipleEffect(before: unknown, after: unknown): KeywordEffect {
  if (before === undefined || after === undefined) return presenceEffect(before, after);
  if (!Number.isSafeInteger(before) || !Number.isSafeInteger(after)) return "other";
  if (Number(before) % Number(after) === 0) return "wider";
  return Number(after) % Number(before) === 0 ? "narrower" : "other";
}

/**
 * Compares two schemas that may be missing, `true` or `false`. Returns undefined if both are objects and must be
 * compared by their keywords.
 */
export function flagEffect(before: unknown, after: unknown): KeywordEffect | undefined {
  if (isJsonObject(before) && isJsonObject(after)) return undefined;
  const [wasAny, isNowAny] = [isAny(before), isAny(after)];
  if ((wasAny && isNowAny) || before === after) return "same";
  if (wasAny || after === false) return "narrower";
  return isNowAny || before === false ? "wider" : "other";
}

function isAny(schema: unknown): boolean {
  if (schema === undefined || schema === true) return true;
  return isJsonObject(schema) && Object.keys(schema).every((key) => TEXT_KEYWORDS.has(key));
}

/** Whether two values are equal, ignoring human-readable text such as titles and descriptions. */
export function isEqualForPrograms(before: unknown, after: unknown): boolean {
  return isEqualJson(withoutTexts(before), withoutTexts(after));
}
