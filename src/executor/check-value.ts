// A JSON Schema of somebody else and a value come in, every violation goes out. Runs inside the validation worker.
import { type OutputUnit, type SchemaDraft, Validator } from "@cfworker/json-schema";
import type { JsonObject } from "../model/json.js";

export interface Violation {
  /** JSON pointer into the arguments; empty for the arguments as a whole. */
  readonly path: string;
  readonly message: string;
}

export type ValueCheck = (value: unknown) => Violation[];

/** Keywords whose error only says that something inside them failed; the inside is reported by itself. */
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

/** Keywords that offer alternatives: one sentence for all of them reads better than the failures of each. */
const ALTERNATIVES = new Set(["anyOf", "oneOf", "not"]);

const DIALECTS: readonly (readonly [RegExp, SchemaDraft])[] = [
  [/draft-04\/schema#?$/, "4"],
  [/draft-0[67]\/schema#?$/, "7"],
  [/draft\/2019-09\/schema#?$/, "2019-09"],
  [/draft\/2020-12\/schema#?$/, "2020-12"],
];

/** Throws for an unknown dialect: a schema that cannot be read must not let everything pass. */
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
  if (found === undefined) throw new Error(`its dialect ${JSON.stringify(dialect)} is unknown`);
  return found[1];
}

function toViolations(errors: readonly OutputUnit[]): Violation[] {
  const alternatives = errors.filter(({ keyword }) => ALTERNATIVES.has(keyword)).map((unit) => unit.keywordLocation);
  const isInside = (unit: OutputUnit): boolean =>
    alternatives.some((location) => unit.keywordLocation.startsWith(`${location}/`));
  const leaves = errors.filter((unit) => !CONTAINERS.has(unit.keyword) && !isInside(unit));
  const violations = leaves.flatMap(toViolation);
  const unique = new Map(violations.map((violation) => [`${violation.path}\n${violation.message}`, violation]));
  return unique.size > 0 ? [...unique.values()] : [toLastWord(errors)];
}

/** Where only containers speak, the innermost says the most; a value that does not fit must never look as if it did. */
function toLastWord(errors: readonly OutputUnit[]): Violation {
  const said = errors.findLast(({ keyword }) => keyword !== "false");
  const [violation] = said === undefined ? [] : toViolation(said);
  return violation ?? { path: "", message: "is not allowed" };
}

function toViolation({ keyword, instanceLocation, error }: OutputUnit): Violation[] {
  const path = instanceLocation.replace(/^#/, "");
  // A member that additionalProperties or a false schema forbids is reported twice; the sentence that names it stays.
  if (keyword === "false") return [];
  const message = error
    .replace(/^Instance type "(.*)" is invalid\. Expected (.*)\.$/s, "is $1, must be $2")
    .replace(/^Instance does not have required property (.*)\.$/s, "lacks the required member $1")
    .replace(/^Property (".*") does not match additional properties schema\.$/s, "has the unknown member $1")
    .replace(/^Instance does not match any of (.*)\.$/s, "must be one of $1")
    .replace(/^Instance does not match (any|exactly one).*$/s, "fits none of the alternatives")
    .replace(/\.$/, "");
  return [{ path, message }];
}
