// What a caller sent as arguments comes in; a copy that is exactly what will be checked, hashed and sent goes out.
import { toSignature } from "../catalog/signature.js";
import { DiscoveryError } from "../errors.js";
import type { Call } from "../model/call.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import { checkJsonValue } from "../util/json/check-value.js";
import { parseStrictJson } from "../util/json/parse-strict.js";
import { isMalformed, type JsonViolation, type StrictJson } from "../util/json/violation.js";
import type { Violation } from "./check-value.js";

/** Throws for whatever would not arrive as the caller wrote it. */
export function toArguments({ arguments: given, flaws = [] }: Call, tool: Tool): JsonObject {
  if (flaws.length > 0) throw ambiguous(tool, flaws);
  const strict = readStrictly(given);
  if (strict.kind === "refused") {
    const isWholly = strict.violations.some(isMalformed);
    throw isWholly ? unreadable(tool, strict.violations) : ambiguous(tool, strict.violations);
  }
  if (isJsonObject(strict.value)) return strict.value;
  throw new DiscoveryError("TOOL_VALIDATION_ERROR", `The arguments of ${tool.id} are not an object.`, {
    hint: `Pass an object that fits ${toSignature(tool.definition)}.`,
  });
}

/** Some models send the arguments as a string that holds JSON, or none at all. */
function readStrictly(given: unknown): StrictJson {
  if (typeof given !== "string") return checkJsonValue(given ?? {});
  if (given.trim() === "") return { kind: "value", value: {} };
  const strict = parseStrictJson(given);
  const isNoJson = strict.kind === "refused" && strict.violations.every(({ kind }) => kind === "not-json");
  return isNoJson ? { kind: "value", value: given } : strict;
}

function unreadable(tool: Tool, violations: readonly JsonViolation[]): DiscoveryError {
  return new DiscoveryError(
    "INVALID_REQUEST",
    `The arguments of ${tool.id} cannot be read: the value ${violations[0]?.message}.`,
    {
      hint: "Pass a smaller and flatter value.",
    },
  );
}

function ambiguous(tool: Tool, flaws: readonly Violation[]): DiscoveryError {
  return new DiscoveryError("TOOL_VALIDATION_ERROR", `The arguments of ${tool.id} would not arrive as written.`, {
    hint: "Write the named values so that every reader understands them alike, and call again.",
    facts: { violations: toLines(flaws) },
  });
}

export function misfit(tool: Tool, violations: readonly Violation[]): DiscoveryError {
  return new DiscoveryError("TOOL_VALIDATION_ERROR", `The arguments do not fit ${tool.id}.`, {
    hint: "Correct them to fit the signature and call again.",
    facts: { violations: toLines(violations), signature: toSignature(tool.definition) },
  });
}

const MAX_VIOLATIONS = 25;

export function toLines(violations: readonly Violation[]): string[] {
  const more = violations.length - MAX_VIOLATIONS;
  const listed = violations.slice(0, MAX_VIOLATIONS).map(({ path, message }) => `${path} ${message}`.trimStart());
  return more > 0 ? [...listed, `and ${more} more`] : listed;
}
