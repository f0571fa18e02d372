// Expands a path template to a path that stays below the base address.
import type { JsonObject } from "../../model/json.js";
import type { RestParameter } from "../../model/operation.js";
import { encode } from "./encode.js";
import { toParts } from "./style.js";
import { wrongArgument } from "./wrong-argument.js";

/**
 * How often a path is decoded in the search for dot segments. Some servers and proxies decode a path more than once.
 */
const MAX_DECODINGS = 6;

export function expandPath(template: string, parameters: readonly RestParameter[], values: JsonObject): string {
  return template.replace(/\{([^{}]*)\}/g, (placeholder, name: string) => {
    const parameter = parameters.find((each) => each.in === "path" && each.name === name);
    if (parameter === undefined) return encode(placeholder, name);
    return expand(parameter, values[parameter.argument]);
  });
}

function expand(parameter: RestParameter, value: unknown): string {
  const { argument, name, style, explode } = parameter;
  if (value === undefined || value === null) throw wrongArgument(argument, "is missing, but the path requires it");
  const parts = toParts(parameter.isJson ? JSON.stringify(value) : value, explode);
  if (parts.length === 0 || parts.flat().includes("")) {
    throw wrongArgument(argument, "is empty, which would lead to another path");
  }
  const written = parts.map((part) => part.map((piece) => encode(piece, argument)).join("="));
  const segment = join(written, { name: encode(name, argument), style, isNamed: parts[0]?.length === 2, explode });
  checkSegment(argument, segment);
  return segment;
}

function join(
  parts: readonly string[],
  how: { name: string; style: RestParameter["style"]; isNamed: boolean; explode: boolean },
): string {
  const { name, style, isNamed, explode } = how;
  if (style === "label") return `.${parts.join(explode ? "." : ",")}`;
  if (style !== "matrix") return parts.join(",");
  if (!explode) return `;${name}=${parts.join(",")}`;
  return parts.map((part) => (isNamed ? `;${part}` : `;${name}=${part}`)).join("");
}

function checkSegment(argument: string, segment: string): void {
  let text = segment;
  for (let round = 0; round < MAX_DECODINGS; round++) {
    if (hasControls(text))
      throw wrongArgument(argument, "contains a control character, which is not allowed in a path");
    if (text.split(/[/\\]/).some(isDots)) throw wrongArgument(argument, "leads outside the path of the API");
    const decoded = decode(text);
    if (decoded === text) return;
    text = decoded;
  }
  throw wrongArgument(argument, "is percent-encoded too many times");
}

/**
 * Whether the text contains control characters. Bytes above 127 are parts of UTF-8 characters here, not the C1 control
 * characters of Unicode.
 */
function hasControls(text: string): boolean {
  return text.split("").some((character) => character < " " || character === "\u007f");
}

/** Whether a server that decodes the path, even repeatedly, could find a `.` or `..` segment in it. */
export function hasDotSegments(path: string): boolean {
  let text = path;
  for (let round = 0; round < MAX_DECODINGS; round++) {
    if (text.split(/[/\\]/).some(isDots)) return true;
    const decoded = decode(text);
    if (decoded === text) return false;
    text = decoded;
  }
  return true;
}

/**
 * Matches `..` and `.`, even if followed by path parameters (`;name=value`), which some servers strip from a segment.
 */
export function isDots(segment: string): boolean {
  return /^\.{1,2}$/.test((decode(segment).split(";")[0] ?? "").trim());
}

/**
 * Decodes byte by byte, because invalid UTF-8 may still be dots and slashes to another server. Overlong UTF-8 encodings
 * of slash and dot are a known attack.
 */
function decode(text: string): string {
  return text
    .replace(/%(?:c0%af|c1%9c)/gi, "/")
    .replace(/%c0%ae/gi, ".")
    .replace(/%u00([0-9a-f]{2})/gi, "%$1")
    .replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}
