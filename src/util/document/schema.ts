import { z } from "zod";
import { nearestWord } from "../edit-distance.js";
import type { Path } from "./problem.js";

export interface SchemaViolation {
  readonly path: Path;
  readonly reason: string;
}

export type Checked<Value> =
  | { readonly kind: "ok"; readonly value: Value }
  | { readonly kind: "violations"; readonly violations: readonly SchemaViolation[] };

type RawIssue = z.core.$ZodRawIssue;
type Issue = z.core.$ZodIssue;

/** Checks data against a schema. Reports all violations at once, each with the expected value. */
export function checkSchema<Schema extends z.ZodType>(schema: Schema, data: unknown): Checked<z.output<Schema>> {
  // The allowed keys of the schema that raised an "unrecognized keys" issue, for suggestions. The map is keyed by the
  // issue's list of keys, because the final issue no longer refers to its schema.
  const knownKeys = new WeakMap<readonly string[], readonly string[]>();
  const result = schema.safeParse(data, {
    error: (issue) => {
      if (issue.code === "unrecognized_keys" && issue.inst instanceof z.ZodObject) {
        knownKeys.set(issue.keys, Object.keys(issue.inst.shape));
      }
      return reasonFor(issue);
    },
  });
  if (result.success) return { kind: "ok", value: result.data };
  return { kind: "violations", violations: result.error.issues.flatMap((issue) => toViolations(issue, [])) };

  function toViolations(issue: Issue, parent: Path): SchemaViolation[] {
    const path = [...parent, ...issue.path.map((segment) => (typeof segment === "symbol" ? "?" : segment))];
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({
        path: [...path, key],
        reason: unknownKey(key, knownKeys.get(issue.keys) ?? []),
      }));
    }
    if (issue.code === "invalid_union") {
      const branch = branchOfSameType(issue.errors);
      if (branch !== undefined) return branch.flatMap((inner) => toViolations(inner, path));
    }
    if (issue.code === "invalid_key") {
      return [{ path, reason: issue.issues[0]?.message ?? issue.message }];
    }
    return [{ path, reason: issue.message }];
  }
}

function unknownKey(key: string, known: readonly string[]): string {
  const nearest = nearestWord(key, known);
  const hint = nearest === undefined ? `the keys here are ${known.join(", ")}` : `did you mean "${nearest}"?`;
  return `is not a known key; ${hint}`;
}

/** The issues of the only alternative of a union whose type matches; undefined if none or several match. */
function branchOfSameType(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const fitting = branches.filter((issues) => !issues.some((issue) => issue.path.length === 0 && isTypeIssue(issue)));
  return fitting.length === 1 ? fitting[0] : undefined;
}

function isTypeIssue(issue: Issue): boolean {
  return issue.code === "invalid_type" || issue.code === "invalid_value";
}

function reasonFor(issue: RawIssue): string | undefined {
  if (issue.code === "invalid_type") return wrongType(issue.expected, issue.input);
  if (issue.code === "invalid_value") return `must be ${oneOf(issue.values)}`;
  if (issue.code === "invalid_union") return "has the wrong type";
  if (issue.code === "too_small") return `must be ${boundary(issue.origin, "at least", issue.minimum)}`;
  if (issue.code === "too_big") return `must be ${boundary(issue.origin, "at most", issue.maximum)}`;
  return undefined;
}

function wrongType(expected: string, input: unknown): string {
  if (input === undefined) return `is missing; it must be ${typeName(expected)}`;
  return `must be ${typeName(expected)}, not ${nameOf(input)}${quotesHint(expected, input)}`;
}

function quotesHint(expected: string, input: unknown): string {
  return expected === "string" && (typeof input === "number" || typeof input === "boolean") ? "; put it in quotes" : "";
}

function boundary(origin: string, relation: string, limit: number | bigint): string {
  if (origin === "string") return `${relation} ${limit} character${limit === 1 ? "" : "s"} long`;
  if (origin === "array") return `a list of ${relation} ${limit} item${limit === 1 ? "" : "s"}`;
  return `${relation} ${limit}`;
}

function oneOf(values: readonly unknown[]): string {
  const [only, ...others] = values.map((value) => JSON.stringify(value));
  return others.length === 0 ? String(only) : `one of ${[only, ...others].join(", ")}`;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map of keys",
  record: "a map of keys",
};

function typeName(type: string): string {
  return TYPE_NAMES[type] ?? type;
}

function nameOf(value: unknown): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number" && !Number.isInteger(value)) {
    return Number.isFinite(value) ? "a fraction" : "an infinite number";
  }
  if (typeof value === "boolean") return String(value);
  return TYPE_NAMES[typeof value] ?? typeof value;
}
