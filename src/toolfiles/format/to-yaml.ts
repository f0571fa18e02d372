import { Document, isMap, isPair, isScalar, Scalar, visit } from "yaml";
import type { JsonObject } from "../../model/json.js";

/**
 * Characters that do something to a terminal or an editor, or that nobody sees: whoever reviews a file has to see them. The
 * two joiners are part of words and emoji.
 */
const HIDDEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Cn}]/u;
const ALL_HIDDEN = new RegExp(HIDDEN, "gu");

/** A text that stands in quotes though YAML would not need them. */
export function quoted(text: string): Scalar<string> {
  const scalar = new Scalar(text);
  scalar.type = Scalar.QUOTE_DOUBLE;
  return scalar;
}

/**
 * YAML that means the same to readers of 1.1 and of 1.2: a blank line before each section, texts of several lines as
 * literal blocks, no line folded, no alias, and no character that is not shown. Members that are undefined are left out.
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
  // Whatever holds such a character stands in double quotes, where it can be spelt out.
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

/** Whether a literal block says the text exactly, whatever follows it. */
function fitsBlock(value: unknown): boolean {
  return (
    typeof value === "string" &&
    !HIDDEN.test(value) &&
    /^[^\s]/u.test(value) &&
    !/\n[\t ]*$/.test(value.replace(/\n$/, ""))
  );
}

/** What follows the five plain members. */
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
