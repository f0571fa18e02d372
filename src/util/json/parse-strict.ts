// Parses JSON text to a value that every reader understands in the same way, or returns every reason why that is
// impossible.
import { isUtf8 } from "node:buffer";
import { scanJson } from "./scan.js";
import {
  isMalformed,
  JSON_LIMITS,
  type JsonLimits,
  MAX_VIOLATIONS,
  type StrictJson,
  toViolation,
} from "./violation.js";

/** Parses strict JSON in linear time. Iterative, so that deep nesting cannot exhaust the stack. */
export function parseStrictJson(given: string | Uint8Array, limits: JsonLimits = JSON_LIMITS): StrictJson {
  const bytes = typeof given === "string" ? Buffer.byteLength(given) : given.byteLength;
  if (bytes > limits.maxBytes) {
    return { kind: "refused", violations: [toViolation("too-large", "", `at most ${limits.maxBytes} bytes`)] };
  }
  // Check before decoding, which would silently replace invalid UTF-8 with U+FFFD.
  if (typeof given !== "string" && !isUtf8(given))
    return { kind: "refused", violations: [toViolation("not-utf8", "")] };
  const text = typeof given === "string" ? given : Buffer.from(given.buffer, given.byteOffset, bytes).toString("utf8");
  const violations = scanJson(text, limits);
  if (violations.length >= MAX_VIOLATIONS || violations.some(isMalformed)) return { kind: "refused", violations };
  try {
    const value: unknown = JSON.parse(text);
    return violations.length === 0 ? { kind: "value", value } : { kind: "refused", violations };
  } catch (error) {
    return { kind: "refused", violations: [toViolation("not-json", "", positionOf(error))] };
  }
}

/**
 * The position in a `JSON.parse` error. The rest of its message is not used, because it quotes the text, which may
 * contain a secret.
 */
function positionOf(error: unknown): string | undefined {
  const position = error instanceof SyntaxError ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? undefined : `at character ${Number(position) + 1}`;
}
