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
/** Parts of a server's name that say nothing about what it does. */
const EMPTY = new Set(["mcp", "server", "servers", "cf", "com", "io", "ai", "dev", "app"]);

/**
 * Texts as the model was taught to read them; `train/fields.mjs` is this file's twin, and a change to one without the
 * other makes the model blind. `joins` are words that camel case cuts in two although people write them as one.
 */
export function createTextCutter(joins: ReadonlySet<string>) {
  const toName = (identifier: string): string => {
    const words = toWords(identifier.slice(0, LONGEST_NAME));
    const joined: string[] = [];
    for (let at = 0; at < words.length; at += 1) {
      const [word = "", next] = [words[at], words[at + 1]];
      const isJoined = next !== undefined && joins.has(`${word} ${next}`);
      joined.push(isJoined ? word + next : word);
      if (isJoined) at += 1;
    }
    return joined.join(" ");
  };

  const toText = (text: string): string => {
    const line = text.replace(/\s+/gu, " ").trim();
    return HAS_CAMEL_CASE.test(line) ? line.replace(CAMEL_CASE_WORD, toName) : line;
  };

  const toServer = (server: string): string =>
    toName(server)
      .split(" ")
      .filter((word) => !EMPTY.has(word) && !/^\d+$/u.test(word))
      .join(" ");

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
  if (/^[a-z0-9_-]*$/u.test(identifier)) return identifier.split(/[_-]+/u).filter((word) => word !== "");
  return identifier
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((part) => part.split(CAMEL_CASE))
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}
