import { cutAtWord, toOneLine } from "../util/text.js";
import { dropOpening, isPlaceholder, isWarning } from "./boilerplate.js";
import { findDeprecation } from "./deprecation.js";

/**
 * How many characters of a description are read. Descriptions say early what a tool does; the limit also bounds the
 * time for hostile texts.
 */
const MAX_READ_LENGTH = 2_000;
const MAX_PARAGRAPHS = 6;
const MAX_SENTENCES = 4;

/**
 * Returns the first informative sentence of a description, as one line of at most `maxLength` characters. A deprecation
 * note is put before it.
 */
export function summarize(description: string, maxLength = 100): string {
  const deprecation = findDeprecation(description);
  if (deprecation === undefined) return cutAtWord(toFirstSentence(description), maxLength);
  const note = toCapital(toPlainText(deprecation.note));
  const what = toFirstSentence(deprecation.rest);
  return cutAtWord(`${note}${/[.!?:;]$/u.test(note) ? "" : "."} ${what}`.trim(), maxLength);
}

/** Returns the first sentence that says what a tool does. Skips headings, labels, warnings and generic openings. */
export function toFirstSentence(description: string): string {
  const text = description.length > MAX_READ_LENGTH ? description.slice(0, MAX_READ_LENGTH) : description;
  let fallback = "";
  for (const paragraph of paragraphsOf(text)) {
    for (const sentence of sentencesOf(paragraph)) {
      if (!isWarning(sentence)) return isPlaceholder(sentence) ? "" : dropOpening(sentence);
      fallback ||= sentence;
    }
  }
  return dropOpening(fallback.replace(/^\p{Lu}{2,}\s*[:!–—-]\s*/u, "")) || toPlainText(text).replace(/^#+\s*/u, "");
}

const BULLET = /^(?:[-*+•]|\d+[.)])\s+/u;
const HEADING = /^(?:#{1,6}\s|\*\*[^*]+\*\*:?$|<\/?[a-z][^<>]*>$|[\p{L} ]{1,30}:$)/iu;
const ABOUT_ACCESS = /^(?:required )?(?:scopes?|permissions?|roles?|category|tags?|version)\s*:/i;
const PREFIX = /^(?:tool )?(?:description|summary|overview|purpose|what it does|tool)\s*:\s*/i;
/**
 * A prefix such as in `[GitHub] List issues`. It is removed, because the server's name is shown next to the summary
 * anyway.
 */
const IN_BRACKETS = /^\[[^[\]]{1,40}\]\s*[:–—-]?\s*(?=\p{L})/u;
const ORNAMENT = /^[^\p{L}\p{N}"'`([<{$@/\\.#*+&-]+/u;

/** Yields each paragraph as one line of plain text, without code, headings and decoration. */
function* paragraphsOf(text: string): Generator<string> {
  let paragraph = "";
  let count = 0;
  let isCode = false;
  for (const raw of text.split("\n")) {
    const line = toLine(raw);
    const isFence = line.startsWith("```");
    if (isFence) isCode = !isCode;
    const isBreak = isFence || isHeading(line) || line === "";
    if (paragraph !== "" && (isBreak || BULLET.test(line))) {
      yield paragraph;
      paragraph = "";
      count += 1;
      if (count >= MAX_PARAGRAPHS) return;
    }
    if (isBreak || isCode || !hasWord(line)) continue;
    const plain = paragraph === "" ? toBeginning(line) : toPlainText(line);
    if (plain !== "") paragraph = paragraph === "" ? plain : `${paragraph} ${plain}`;
  }
  if (paragraph !== "") yield paragraph;
}

/**
 * A fast test: most lines start with an ASCII letter or digit and do not need the slower Unicode regular expression.
 */
const PLAIN_START = /^[A-Za-z0-9]/;

function toLine(raw: string): string {
  const line = raw.trim();
  return PLAIN_START.test(line) ? line : line.replace(ORNAMENT, "");
}

function hasWord(text: string): boolean {
  return PLAIN_START.test(text) || /[\p{L}\p{N}]/u.test(text);
}

function isHeading(line: string): boolean {
  return /^#|[:*>]$/.test(line) && HEADING.test(line);
}

function toBeginning(line: string): string {
  const plain = toPlainText(line.replace(BULLET, "")).replace(IN_BRACKETS, "");
  if (!plain.slice(0, 30).includes(":")) return plain;
  return ABOUT_ACCESS.test(plain) ? "" : plain.replace(PREFIX, "");
}

const ABBREVIATION =
  /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|incl|no|nr|fig|dr|mr|mrs|ms|st|inc|ltd|u\.s|\p{Lu})\.$/iu;
const MAX_ABBREVIATION_LENGTH = 10;

function* sentencesOf(paragraph: string): Generator<string> {
  let start = 0;
  let count = 0;
  for (const { index, 0: mark } of paragraph.matchAll(/[.!?](?=["')\]]*(?:\s|$))|[。！？]/gu)) {
    const sentence = paragraph.slice(start, index + 1);
    if (mark === "." && ABBREVIATION.test(sentence.slice(-MAX_ABBREVIATION_LENGTH))) continue;
    yield sentence.trim();
    start = index + 1;
    count += 1;
    if (count >= MAX_SENTENCES) return;
  }
  const rest = paragraph.slice(start).trim();
  if (hasWord(rest)) yield rest;
}

function toPlainText(text: string): string {
  if (/^(?:[!-)+-;=-Z\]^_a-~] ?)*$/.test(text)) return text.trimEnd();
  return toOneLine(text)
    .replace(/^#{1,6}\s+/u, "")
    .replace(/<\/?[a-z_][\w-]{0,30}>/giu, (tag) => (INLINE_TAG.test(tag) ? tag : " "))
    .replace(/\*\*([^*]+)\*\*/gu, "$1")
    .replace(/`([^`]+)`/gu, "$1")
    .replace(/\[([^[\]]+)\]\([^()]*\)/gu, "$1")
    .replace(/ {2,}/gu, " ")
    .trim();
}

/** HTML elements whose tags are kept, because a sentence may be about them. */
const INLINE_TAG =
  /^<(?:select|input|iframe|script|style|img|video|audio|canvas|table|form|button|option|svg|body|head|html|div|span|a)>$/iu;

function toCapital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
