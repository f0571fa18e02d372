import { Document, isMap, isPair, isScalar, Scalar, visit } from "yaml";
import type { JsonObject } from "../../model/json.js";

/**
 * Invisible characters, and characters that control a terminal or editor. They are escaped, so that a reviewer sees
 * them. Zero-width joiner and non-joiner are allowed, because words and emoji need them.
 */
const HIDDEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Cn}]/u;
const ALL_HIDDEN = new RegExp(HIDDEN, "gu");

/** A YAML string that is always written in double quotes. */
export function quotedScalar(text: string): Scalar<string> {
  const scalar = new Scalar(text);
  scalar.type = Scalar.QUOTE_DOUBLE;
  return scalar;
}

/**
 * Writes YAML that YAML 1.1 and 1.2 parsers read in the same way: a blank line before each section, multi-line strings
 * as literal blocks, no folded lines, no aliases, no invisible characters. Undefined members are omitted.
 */
export function toYaml(content: JsonObject): string {
  const document = new Document(content, {
    version: "1.2",
    schema: "core",
    compat: "yaml-1.1",
    aliasDuplicateObjects: false,
  });
  visit(document, { Scalar: (key, node) => choose(node, key === "key") });
  for (const [name, node] of sections(document)) {
    name.spaceBefore = true;
    if (name.value === "description" && isScalar(node)) node.type = fitsBlock(node.value) ? BLOCK : QUOTES;
  }
  const text = document.toString({ lineWidth: 0, singleQuote: false, doubleQuotedAsJSON: true });
  // All strings with hidden characters are in double quotes, where escapes are allowed.
  return text.replace(ALL_HIDDEN, escape);
}

const BLOCK = Scalar.BLOCK_LITERAL;
const QUOTES = Scalar.QUOTE_DOUBLE;

function choose(node: Scalar, isKey: boolean): void {
  const { value } = node;
  if (typeof value !== "string") return;
  if (HIDDEN.test(value) || (isKey && value.includes("\n"))) node.type = QUOTES;
  else if (value.includes("\n")) node.type = fitsBlock(value) ? BLOCK : QUOTES;
}

/** Whether a YAML literal block preserves the string exactly. */
function fitsBlock(value: unknown): boolean {
  return (
    typeof value === "string" &&
    !HIDDEN.test(value) &&
    /^[^\s]/u.test(value) &&
    !/\n[\t ]*$/.test(value.replace(/\n$/, ""))
  );
}

/** Yields the top-level members of the document that start a new section. */
function* sections({ contents }: Document): Iterable<readonly [Scalar, unknown]> {
  if (!isMap(contents)) return;
  for (const pair of contents.items.filter(isPair)) {
    if (isScalar(pair.key) && SECTIONS.has(String(pair.key.value))) yield [pair.key, pair.value];
  }
}

const SECTIONS = new Set(["metadata", "description", "env_requirements", "input_schema", "config"]);

function escape(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
}
