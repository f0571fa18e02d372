import { cutAtWord, toOneLine } from "../util/text.js";
import { findDeprecation } from "./deprecation.js";

const ABBREVIATIONS =
  /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|incl|no|nr|fig|dr|mr|mrs|ms|st|inc|ltd|u\.s|\p{Lu})\.$/iu;
const LONGEST_ABBREVIATION = 10;
const BULLET = /^(?:[-*+•]|\d+[.)])\s+/u;
const DECORATION = /^[\s#=*_~`>-]*$/u;
const LABEL = /^(?:#{1,6}\s|\*\*[^*]+\*\*:?\s*$|<\/?[a-z][^>]*>\s*$|[\p{L} ]{1,30}:\s*$)/iu;
const PREFIX = /^(?:description|summary|overview|purpose|tool)\s*:\s*/iu;

/** The informative first sentence of a description as one line of at most `maxLength` characters; that a tool is deprecated comes before it. */
export function summarize(description: string, maxLength = 100): string {
  const deprecation = findDeprecation(description);
  if (deprecation === undefined) return cutAtWord(toFirstSentence(description), maxLength);
  const note = stripMarkup(toOneLine(deprecation.note)).replace(/^./u, (first) => first.toUpperCase());
  const what = toFirstSentence(deprecation.rest);
  return cutAtWord(`${note}${/[.!?:;]$/u.test(note) ? "" : "."} ${what}`.trim(), maxLength);
}

/** The first sentence that says something: headings, labels and rules in front of it are skipped. */
export function toFirstSentence(description: string): string {
  const paragraph = toFirstParagraph(description.slice(0, 4_000));
  for (const end of paragraph.matchAll(/[.!?。！？](?=["')\]]*(?:\s|$))|[。！？]/gu)) {
    const sentence = paragraph.slice(0, end.index + 1);
    if (!(end[0] === "." && ABBREVIATIONS.test(sentence.slice(-LONGEST_ABBREVIATION)))) return sentence;
  }
  return paragraph;
}

function toFirstParagraph(description: string): string {
  const lines = description.split(/\r?\n/u).map((line) => line.trim());
  const start = lines.findIndex((line) => line !== "" && !DECORATION.test(line) && !LABEL.test(line));
  if (start === -1) return stripMarkup(toOneLine(description));
  const rest = lines.slice(start);
  const end = rest.findIndex((line, index) => index > 0 && (line === "" || BULLET.test(line) || LABEL.test(line)));
  const paragraph = rest.slice(0, end === -1 ? undefined : end).join(" ");
  return stripMarkup(toOneLine(paragraph).replace(BULLET, "").replace(PREFIX, ""));
}

function stripMarkup(text: string): string {
  return text
    .replace(/^#{1,6}\s+/u, "")
    .replace(/\*\*([^*]+)\*\*/gu, "$1")
    .replace(/`([^`]+)`/gu, "$1")
    .replace(/\[([^[\]]+)\]\([^()]*\)/gu, "$1")
    .trim();
}
