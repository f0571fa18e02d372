import { isJsonObject } from "../../model/json.js";
import { canonicalJson } from "../../util/json/canonical.js";
import { TEXT_KEYWORDS, withoutTexts } from "./without-texts.js";

/** What a change does to the values that fit. `other`: neither can be shown. */
export type Effect = "same" | "wider" | "narrower" | "other";

const LOWER = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"]);
const UPPER = new Set(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"]);

/** The effect of one keyword that holds no schema which has to be looked into. An absent keyword is `undefined`. */
export function keywordEffect(keyword: string, before: unknown, after: unknown): Effect {
  if (isEqual(before, after)) return "same";
  if (keyword === "type") return typeEffect(typesOf(before), typesOf(after));
  if (keyword === "enum") return valuesEffect(before, after);
  if (LOWER.has(keyword)) return boundEffect(before, after, -1);
  if (UPPER.has(keyword)) return boundEffect(before, after, 1);
  if (keyword === "multipleOf") return multipleEffect(before, after);
  if (keyword === "uniqueItems") return boundEffect(Number(before !== true), Number(after !== true), 1);
  if (keyword === "pattern" || keyword === "format") return presenceEffect(before, after);
  return "other";
}

export function presenceEffect(before: unknown, after: unknown): Effect {
  if (before === undefined) return "narrower";
  return after === undefined ? "wider" : "other";
}

/** `undefined` is every type, `null` what cannot be understood. */
function typesOf(type: unknown): readonly string[] | undefined | null {
  if (type === undefined) return undefined;
  const types = Array.isArray(type) ? type : [type];
  return types.every((one) => typeof one === "string") ? types : null;
}

function typeEffect(before: readonly string[] | undefined | null, after: readonly string[] | undefined | null): Effect {
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

function valuesEffect(before: unknown, after: unknown): Effect {
  if (before === undefined || after === undefined) return presenceEffect(before, after);
  if (!Array.isArray(before) || !Array.isArray(after)) return "other";
  const [old, now] = [new Set(before.map(canonicalJson)), new Set(after.map(canonicalJson))];
  const [isWider, isNarrower] = [[...old].every((value) => now.has(value)), [...now].every((value) => old.has(value))];
  if (isWider && isNarrower) return "same";
  return isWider ? "wider" : isNarrower ? "narrower" : "other";
}

function boundEffect(before: unknown, after: unknown, outward: 1 | -1): Effect {
  const isBound = (bound: unknown) => bound === undefined || typeof bound === "number";
  if (!isBound(before) || !isBound(after)) return "other";
  if (before === undefined || after === undefined) return presenceEffect(before, after);
  const difference = (after - before) * outward;
  if (difference === 0) return "same";
  return difference > 0 ? "wider" : "narrower";
}

function multipleEffect(before: unknown, after: unknown): Effect {
  if (before === undefined || after === undefined) return presenceEffect(before, after);
  if (!Number.isSafeInteger(before) || !Number.isSafeInteger(after)) return "other";
  if (Number(before) % Number(after) === 0) return "wider";
  return Number(after) % Number(before) === 0 ? "narrower" : "other";
}

/** Of a schema that may be absent, `true` or `false`; undefined when both have to be looked into. */
export function flagEffect(before: unknown, after: unknown): Effect | undefined {
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

/** Equal but for what people read. */
export function isEqualForPrograms(before: unknown, after: unknown): boolean {
  return isEqual(withoutTexts(before), withoutTexts(after));
}

export function isEqual(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other;
  return canonicalJson(one) === canonicalJson(other);
}
