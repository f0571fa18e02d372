import type { SearchDocument } from "../fields.js";

/** The parts of a tool's text that the embedding model reads, each with its own weight. */
export const PARTS = ["name", "server", "first", "rest", "parameterNames", "parameterTexts"] as const;

export type TextPart = (typeof PARTS)[number];

const MAX_NAME_LENGTH = 200;
const MAX_QUERY_LENGTH = 400;
const MAX_DESCRIPTION_LENGTH = 1_000;
const MAX_FIRST_LENGTH = 300;
const MAX_REST_LENGTH = 600;
const MAX_PARAMETERS = 16;
const MAX_PARAMETER_TEXT_LENGTH = 100;
const FIRST_SENTENCE = /^[\s\S]{10,300}?(?:[.!?](?=\s|$)|[。！？])/u;
const CAMEL_CASE = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const CAMEL_CASE_WORD = /(?<![\p{L}\p{N}])\p{Ll}[\p{Ll}\p{N}]*\p{Lu}[\p{L}\p{N}]*/gu;
/** A fast test that skips most texts, because they have no camel-case word. */
const HAS_CAMEL_CASE = /[\p{Ll}\p{N}]\p{Lu}/u;
const IS_WORD = /^[a-z0-9]*$/u;
const HAS_OTHER_SPACES = /[^\S ]| {2}/u;
const IS_PLAIN = /^[ -~]*$/u;
const HAS_PLAIN_CAMEL_CASE = /[a-z0-9][A-Z]/u;
const PLAIN_CAMEL_CASE_WORD = /(?<![A-Za-z0-9])[a-z][a-z0-9]*[A-Z][A-Za-z0-9]*/gu;
/** Words in server names that do not say what the server does. */
const MEANINGLESS = new Set(["mcp", "server", "servers", "cf", "com", "io", "ai", "dev", "app"]);

/**
 * Prepares texts exactly as in training: `train/fields.mjs` has the same code, and both must be changed together.
 * `joins` are word pairs that camel case separates although they are usually written as one word, such as `git hub`.
 */
export function createTextPreparer(joins: ReadonlySet<string>) {
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
    const name = identifier.length > MAX_NAME_LENGTH ? identifier.slice(0, MAX_NAME_LENGTH) : identifier;
    // The fast path: most names are one word.
    if (IS_WORD.test(name)) return name;
    const words = toWords(name);
    return words.some((word) => firstOfJoined.has(word)) ? join(words) : words.join(" ");
  };

  const toText = (text: string): string => {
    const line = (HAS_OTHER_SPACES.test(text) ? text.replace(/\s+/gu, " ") : text).trim();
    // ASCII texts do not need the slower Unicode regular expressions.
    if (IS_PLAIN.test(line))
      return HAS_PLAIN_CAMEL_CASE.test(line) ? line.replace(PLAIN_CAMEL_CASE_WORD, toName) : line;
    return HAS_CAMEL_CASE.test(line) ? line.replace(CAMEL_CASE_WORD, toName) : line;
  };

  // The tools of a server are read one after the other, so caching the last server is enough.
  let last = { server: "", text: "" };
  const toServer = (server: string): string => {
    if (server === last.server) return last.text;
    const words = toName(server).split(" ");
    const text = words.filter((word) => !MEANINGLESS.has(word) && !/^\d+$/u.test(word)).join(" ");
    last = { server, text };
    return text;
  };

  return {
    query: (query: string): string => toText(query.slice(0, 2 * MAX_QUERY_LENGTH)).slice(0, MAX_QUERY_LENGTH),
    tool({ name, server, description, parameters }: SearchDocument): Record<TextPart, string> {
      const text = toText(description.slice(0, 2 * MAX_DESCRIPTION_LENGTH)).slice(0, MAX_DESCRIPTION_LENGTH);
      const first = FIRST_SENTENCE.exec(text)?.[0] ?? text.slice(0, MAX_FIRST_LENGTH);
      const read = parameters.slice(0, MAX_PARAMETERS);
      return {
        name: toName(name),
        server: toServer(server),
        first,
        rest: text.slice(first.length, first.length + MAX_REST_LENGTH).trim(),
        parameterNames: read.map((parameter) => toName(parameter.name)).join(" "),
        parameterTexts: read
          .map((parameter) => toText(parameter.description.slice(0, 2 * MAX_PARAMETER_TEXT_LENGTH)))
          .map((about) => about.slice(0, MAX_PARAMETER_TEXT_LENGTH))
          .filter((about) => about !== "")
          .join(" ")
          .slice(0, MAX_REST_LENGTH),
      };
    },
  };
}

function toWords(identifier: string): string[] {
  // The fast path for most names: snake case and kebab case.
  if (/^[a-z0-9]+(?:[_-][a-z0-9]+)*$/u.test(identifier)) return identifier.split(/[_-]/u);
  return identifier
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((part) => part.split(CAMEL_CASE))
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}
