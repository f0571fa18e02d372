// Checks a value against a JSON Schema and reports all violations. On the main thread, only simple schemas are
// evaluated (see `isPlainSchema`); all others are evaluated in the validation worker.
import { type OutputUnit, type SchemaDraft, Validator } from "@cfworker/json-schema";
import type { JsonObject } from "../model/json.js";

export interface ArgumentViolation {
  /** JSON pointer to the invalid value in the arguments; empty for the arguments as a whole. */
  readonly path: string;
  readonly message: string;
}

export type ValueCheck = (value: unknown) => ArgumentViolation[];

/**
 * JSON Schema keywords whose error only says that a subschema failed. The errors of the subschema are reported
 * separately.
 */
const CONTAINERS = new Set([
  "properties",
  "patternProperties",
  "items",
  "prefixItems",
  "additionalItems",
  "$ref",
  "$recursiveRef",
  "allOf",
  "if",
  "dependentSchemas",
  "dependencies",
]);

/**
 * JSON Schema keywords with alternatives. They are reported as one violation instead of the failures of each
 * alternative.
 */
const ALTERNATIVES = new Set(["anyOf", "oneOf", "not"]);

const DIALECTS: readonly (readonly [RegExp, SchemaDraft])[] = [
  [/draft-04\/schema#?$/, "4"],
  [/draft-0[67]\/schema#?$/, "7"],
  [/draft\/2019-09\/schema#?$/, "2019-09"],
  [/draft\/2020-12\/schema#?$/, "2020-12"],
];

/**
 * Compiles a schema to a check. Throws if its dialect is unknown: a schema that cannot be evaluated must not accept
 * every value.
 */
export function compileCheck(schema: JsonObject): ValueCheck {
  const validator = new Validator(schema, toDraft(schema["$schema"]), false);
  return (value) => {
    const { valid, errors } = validator.validate(value);
    return valid ? [] : toViolations(errors);
  };
}

function toDraft(dialect: unknown): SchemaDraft {
  if (dialect === undefined) return "2020-12";
  const found = DIALECTS.find(([pattern]) => typeof dialect === "string" && pattern.test(dialect));
  if (found === undefined) throw new Error(`the schema dialect ${JSON.stringify(dialect)} is not supported`);
  return found[1];
}

function toViolations(errors: readonly OutputUnit[]): ArgumentViolation[] {
  const alternatives = errors.filter(({ keyword }) => ALTERNATIVES.has(keyword)).map((unit) => unit.keywordLocation);
  const isInside = (unit: OutputUnit): boolean =>
    alternatives.some((location) => unit.keywordLocation.startsWith(`${location}/`));
  const leaves = errors.filter((unit) => !CONTAINERS.has(unit.keyword) && !isInside(unit));
  const violations = leaves.flatMap(toViolation);
  const unique = new Map(violations.map((violation) => [`${violation.path}\n${violation.message}`, violation]));
  return unique.size > 0 ? [...unique.values()] : [toInnermostViolation(errors)];
}

/**
 * Used if only container keywords failed, because an invalid value must always have a violation. Takes the innermost
 * error, which is the most specific.
 */
function toInnermostViolation(errors: readonly OutputUnit[]): ArgumentViolation {
  const innermost = errors.findLast(({ keyword }) => keyword !== "false");
  const [violation] = innermost === undefined ? [] : toViolation(innermost);
  return violation ?? { path: "", message: "is not allowed" };
}

function toViolation({ keyword, instanceLocation, error }: OutputUnit): ArgumentViolation[] {
  const path = instanceLocation.replace(/^#/, "");
  // A member that `additionalProperties` or a `false` schema forbids causes two errors. Keep only the one that names
  // the member.
  if (keyword === "false") return [];
  const message = error
    .replace(/^Instance type "(.*)" is invalid\. Expected (.*)\.$/s, "is $1, must be $2")
    .replace(/^Instance does not have required property (.*)\.$/s, "lacks the required member $1")
    .replace(/^Property (".*") does not match additional properties schema\.$/s, "has the unknown member $1")
    .replace(/^Instance does not match any of (.*)\.$/s, "must be one of $1")
    .replace(/^Instance does not match (any|exactly one).*$/s, "matches none of the alternatives")
    .replace(/\.$/, "");
  return [{ path, message }];
}
