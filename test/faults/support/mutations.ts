import type { Random } from "./random.js";

/** One line of a configuration, and its effect on the policy. */
export interface PolicyLine {
  readonly text: string;
  /** `restricts`: without it more is allowed. `allows`: a change may allow more. */
  readonly role: "restricts" | "allows" | "neither";
}

export interface Mutation {
  readonly name: string;
  readonly lines: readonly string[];
  /** The changed lines, by their position before the change. */
  readonly touched: readonly number[];
}

type Mutate = (lines: readonly string[], at: number, random: Random) => Mutation;

const replaced = (lines: readonly string[], at: number, text: string): readonly string[] => lines.with(at, text);

const CHARACTERS = [..."{}[]\",:/*#_-\\'0aZ \t\u0000é".split(""), "true", "false", "null"];

const edit =
  (name: string, change: (text: string, random: Random) => string): Mutate =>
  (lines, at, random) => ({ name, lines: replaced(lines, at, change(lines[at] ?? "", random)), touched: [at] });

const cut = (text: string, random: Random): [string, string] => {
  const at = random.between(0, text.length + 1);
  return [text.slice(0, at), text.slice(at)];
};

export const MUTATIONS: readonly Mutate[] = [
  edit("a removed character", (text, random) => {
    const [before, after] = cut(text, random);
    return before + after.slice(1);
  }),
  edit("an added character", (text, random) => {
    const [before, after] = cut(text, random);
    return before + random.pick(CHARACTERS) + after;
  }),
  edit("a changed character", (text, random) => {
    const [before, after] = cut(text, random);
    return before + random.pick(CHARACTERS) + after.slice(1);
  }),
  edit("two characters swapped", (text, random) => {
    const [before, after] = cut(text, random);
    return before + after.slice(0, 2).split("").reverse().join("") + after.slice(2);
  }),
  edit("capitals", (text) => text.toUpperCase()),
  edit("a word without its quotes", (text, random) => {
    const words = [...text.matchAll(/"([^"]*)"/g)];
    const word = words.length === 0 ? undefined : random.pick(words);
    return word === undefined ? text : text.replace(word[0], () => word[1] ?? "");
  }),
  edit("a literal in quotes", (text) => text.replace(/\b(true|false|\d+)\b/, '"$1"')),
  edit("a comment", (text) => `// ${text}`),
  edit("half a line", (text) => text.slice(0, text.length / 2)),
  (lines, at) => ({ name: "a removed line", lines: lines.toSpliced(at, 1), touched: [at] }),
  (lines, at) => ({ name: "a repeated line", lines: lines.toSpliced(at, 0, lines[at] ?? ""), touched: [at] }),
  (lines, at) => {
    const other = (at + 1) % lines.length;
    const swapped = lines.with(at, lines[other] ?? "").with(other, lines[at] ?? "");
    return { name: "two lines swapped", lines: swapped, touched: [at, other] };
  },
  (lines, at) => ({ name: "a truncated file", lines: lines.slice(0, at), touched: [] }),
];
