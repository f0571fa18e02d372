import type { SearchDocument } from "../fields.js";

/** The parts of a tool that the model reads, each with a weight of its own. */
export const PARTS = ["name", "server", "first", "rest", "parameterNames", "parameterTexts"] as const;

export type Part = (typeof PARTS)[number];

const LONGEST_NAME = 200;
const LONGEST_QUERY = 400;
const LONGEST_DESCRIPTION = 1_000;
const LONGEST_FIRST = 300;
const LONGEST_REST = 600;
const MOST_PARAMETERS = 16;
const LONGEST_PARAMETER_TEXT = 100;
const FIRST_SENTENCE = /^[\s\S]{10,300}?(?:[.!?](?=\s|$)|[。！？])/u;
const CAMEL_CASE = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const CAMEL_CASE_WORD = /(?<![\p{L}\p{N}])\p{Ll}[\p{Ll}\p{N}]*\p{Lu}[\p{L}\p{N}]*/gu;
/** Tells at once that there is no such word, as in most texts. */
const HAS_CAMEL_CASE = /[\p{Ll}\p{N}]\p{Lu}/u;
const IS_WORD = /^[a-z0-9]*$/u;
const HAS_OTHER_SPACES = /[^\S ]| {2}/u;
const IS_PLAIN = /^[ -~]*$/u;
const HAS_PLAIN_CAMEL_CASE = /[a-z0-9][A-Z]/u;
const PLAIN_CAMEL_CASE_WORD = /(?<![A-Za-z0-9])[a-z][a-z0-9]*[A-Z][A-Za-z0-9]*/gu;
/** Parts of a server's name that say nothing about what it does. */
const EMPTY = new Set(["mcp", "server", "servers", "cf", "com", "io", "ai", "dev", "app"]);

/**
 * Texts as the model was taught to read them; `train/fields.mjs` is this file's twin, and a change to one without the
 * other makes the model blind. `joins` are words that camel case cuts in two although people write them as one.
 */
export function createTextCutter(joins: ReadonlySet<string>) {
  const join = (words: readonly string[]): string => {
    const joined: string[] = [];
    for (let at = 0; at < words.length; at += 1) {
      const [word = "", next] = [words[at], words[at + 1]];
      const isJoined = next !== undefined && joins.has(`${word} ${next}`);
      joined.push(isJoined ? word + next : word);
      if (isJoined) at += 1;
    }
    return joined.join(" ");
  };
  const firstOfJoined = new Set(Array.from(joins, (pair) => pair.split(" ", 1)[0] ?? ""));

  const toName = (identifier: string): string => {
    const name = identifier.length > LONGEST_NAME ? identifier.slice(0, LONGEST_NAME) : identifier;
    // Most names are one word, or plain words with nothing to be joined.
    if (IS_WORD.test(name)) return name;
    const words = toWords(name);
    return words.some((word) => firstOfJoined.has(word)) ? join(words) : words.join(" ");
  };

  const toText = (text: string): string => {
    const line = (HAS_OTHER_SPACES.test(text) ? text.replace(/\s+/gu, " ") : text).trim();
    // Plain English needs no regular expression with all letters of the world.
    if (IS_PLAIN.test(line))
      return HAS_PLAIN_CAMEL_CASE.test(line) ? line.replace(PLAIN_CAMEL_CASE_WORD, toName) : line;
    return HAS_CAMEL_CASE.test(line) ? line.replace(CAMEL_CASE_WORD, toName) : line;
  };

  // The tools of a server come one after the other.
  let last = { server: "", text: "" };
  const toServer = (server: string): string => {
    if (server === last.server) return last.text;
    const words = toName(server).split(" ");
    const text = words.filter((word) => !EMPTY.has(word) && !/^\d+$/u.test(word)).join(" ");
    last = { server, text };
    return text;
  };

  return {
    query: (query: string): string => toText(query.slice(0, 2 * LONGEST_QUERY)).slice(0, LONGEST_QUERY),
    tool({ name, server, description, parameters }: SearchDocument): Record<Part, string> {
      const text = toText(description.slice(0, 2 * LONGEST_DESCRIPTION)).slice(0, LONGEST_DESCRIPTION);
      const first = FIRST_SENTENCE.exec(text)?.[0] ?? text.slice(0, LONGEST_FIRST);
      const read = parameters.slice(0, MOST_PARAMETERS);
      return {
        name: toName(name),
        server: toServer(server),
        first,
        rest: text.slice(first.length, first.length + LONGEST_REST).trim(),
        parameterNames: read.map((parameter) => toName(parameter.name)).join(" "),
        parameterTexts: read
          .map((parameter) => toText(parameter.description.slice(0, 2 * LONGEST_PARAMETER_TEXT)))
          .map((about) => about.slice(0, LONGEST_PARAMETER_TEXT))
          .filter((about) => about !== "")
          .join(" ")
          .slice(0, LONGEST_REST),
      };
    },
  };
}

function toWords(identifier: string): string[] {
  // Most names need no more than this.
  if (/^[a-z0-9]+(?:[_-][a-z0-9]+)*$/u.test(identifier)) return identifier.split(/[_-]/u);
  return identifier
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((part) => part.split(CAMEL_CASE))
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}
