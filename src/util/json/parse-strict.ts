// A text comes in; a value that every reader understands alike goes out, or every reason why there is none.
// What the value is for is not known here.
import { isUtf8 } from "node:buffer";
import { scanJson } from "./scan.js";
import {
  isMalformed,
  JSON_LIMITS,
  type JsonLimits,
  MOST_VIOLATIONS,
  type StrictJson,
  toViolation,
} from "./violation.js";

/** Linear in the text, without recursion: no nesting can exhaust the stack. */
export function parseStrictJson(given: string | Uint8Array, limits: JsonLimits = JSON_LIMITS): StrictJson {
  const bytes = typeof given === "string" ? Buffer.byteLength(given) : given.byteLength;
  if (bytes > limits.maxBytes) {
    return { kind: "refused", violations: [toViolation("too-large", "", `at most ${limits.maxBytes} bytes`)] };
  }
  // Decoding would put U+FFFD in the place of what is not UTF-8, and nobody would notice.
  if (typeof given !== "string" && !isUtf8(given))
    return { kind: "refused", violations: [toViolation("not-utf8", "")] };
  const text = typeof given === "string" ? given : Buffer.from(given.buffer, given.byteOffset, bytes).toString("utf8");
  const violations = scanJson(text, limits);
  if (violations.length >= MOST_VIOLATIONS || violations.some(isMalformed)) return { kind: "refused", violations };
  try {
    const value: unknown = JSON.parse(text);
    return violations.length === 0 ? { kind: "value", value } : { kind: "refused", violations };
  } catch (error) {
    return { kind: "refused", violations: [toViolation("not-json", "", placeOf(error))] };
  }
}

/** The engine's message quotes the text, which may hold a secret; only the place is taken from it. */
function placeOf(error: unknown): string | undefined {
  const place = error instanceof SyntaxError ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
  return place === undefined ? undefined : `at character ${Number(place) + 1}`;
}
