// Parses the arguments of a call into a copy, and converts values of the wrong type if nothing is lost; the same copy is
// validated, hashed and sent.
import { toSignature } from "../catalog/signature.js";
import { DiscoveryError } from "../errors.js";
import type { Call } from "../model/call.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import { checkJsonValue } from "../util/json/check-value.js";
import { parseStrictJson } from "../util/json/parse-strict.js";
import { isMalformed, type JsonViolation, type StrictJson } from "../util/json/violation.js";
import type { ArgumentViolation } from "./check-value.js";
import { coerceValue, type Coercion } from "./coerce-value.js";
import type { Validation } from "./validation.js";

/** Throws if the arguments are not a JSON object or cannot be sent exactly as the caller wrote them. */
export function toArguments({ arguments: args, context: { flaws = [] } }: Call, tool: Tool): JsonObject {
  if (flaws.length > 0) throw ambiguous(tool, flaws);
  const strict = readStrictly(args);
  if (strict.kind === "refused") {
    const isMalformedJson = strict.violations.some(isMalformed);
    throw isMalformedJson ? unreadable(tool, strict.violations) : ambiguous(tool, strict.violations);
  }
  if (isJsonObject(strict.value)) return strict.value;
  throw new DiscoveryError("TOOL_VALIDATION_ERROR", `The arguments of ${tool.id} are not an object.`, {
    hint: `Pass an object that matches ${toSignature(tool.definition)}.`,
  });
}

/** Parses the arguments. Accepts a string that contains JSON and missing arguments, because some models send them. */
function readStrictly(args: unknown): StrictJson {
  if (typeof args !== "string") return checkJsonValue(args ?? {});
  if (args.trim() === "") return { kind: "value", value: {} };
  const strict = parseStrictJson(args);
  const isPlainText = strict.kind === "refused" && strict.violations.every(({ kind }) => kind === "not-json");
  return isPlainText ? { kind: "value", value: args } : strict;
}

export interface CheckedArguments {
  readonly args: JsonObject;
  readonly coercions: readonly Coercion[];
  /** Violations of the arguments as the caller sent them; empty if these or the converted arguments are valid. */
  readonly violations: readonly ArgumentViolation[];
  /** Set if the arguments could not be checked. */
  readonly failure?: unknown;
}

/**
 * Validates the arguments. Arguments that are valid as sent are used as sent. Otherwise, values of the wrong type are
 * converted without loss, and the converted arguments are used if all of them are valid.
 */
export async function checkArguments(
  tool: Tool,
  given: JsonObject,
  validation: Pick<Validation, "check">,
): Promise<CheckedArguments> {
  try {
    const violations = await validation.check(tool, given);
    if (violations.length === 0) return { args: given, coercions: [], violations };
    const { value, coercions } = coerceValue(tool.definition.inputSchema, given);
    const isConverted = coercions.length > 0 && isJsonObject(value) && checkJsonValue(value).kind === "value";
    if (!isConverted || (await validation.check(tool, value)).length > 0) {
      return { args: given, coercions: [], violations };
    }
    return { args: value, coercions, violations: [] };
  } catch (failure) {
    return { args: given, coercions: [], violations: [], failure };
  }
}

function unreadable(tool: Tool, violations: readonly JsonViolation[]): DiscoveryError {
  return new DiscoveryError(
    "INVALID_REQUEST",
    `The arguments of ${tool.id} cannot be read: the value ${violations[0]?.message}.`,
    {
      hint: "Pass smaller or less deeply nested arguments.",
    },
  );
}

function ambiguous(tool: Tool, flaws: readonly ArgumentViolation[]): DiscoveryError {
  return new DiscoveryError("TOOL_VALIDATION_ERROR", `The arguments of ${tool.id} are ambiguous.`, {
    hint: 'Correct the values listed in "violations".',
    facts: { violations: toLines(flaws) },
  });
}

export function invalidArguments(tool: Tool, violations: readonly ArgumentViolation[]): DiscoveryError {
  return new DiscoveryError("TOOL_VALIDATION_ERROR", `The arguments do not match the schema of ${tool.id}.`, {
    hint: "Correct the arguments to match the signature.",
    facts: { violations: toLines(violations), signature: toSignature(tool.definition) },
  });
}

const MAX_VIOLATIONS = 25;

export function toLines(violations: readonly ArgumentViolation[]): string[] {
  const more = violations.length - MAX_VIOLATIONS;
  const listed = violations.slice(0, MAX_VIOLATIONS).map(({ path, message }) => `${path} ${message}`.trimStart());
  return more > 0 ? [...listed, `and ${more} more`] : listed;
}
