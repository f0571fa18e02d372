/** One meaning of a phrase: the stems of words that tools may use for it. */
export interface PhraseMeaning {
  readonly kind: "same" | "concept" | "product";
  readonly stems: readonly string[];
}

/** The phrases whose first word starts with the same two letters. */
export interface PhraseTable {
  /** Meanings by phrase. The key is the roots of the words of a phrase (see `toRoot`), joined with spaces. */
  readonly meanings: ReadonlyMap<string, readonly PhraseMeaning[]>;
  /** The number of words of the longest phrase that starts with this root. */
  readonly longest: ReadonlyMap<string, number>;
}

/**
 * The serialized phrase tables by initials. A table is parsed only when it is needed, because most never are. One line
 * per phrase: its roots, then its meanings, each after a tab. A meaning is `=` (same), `:` (concept) or `@`
 * (product), followed by stems separated by spaces.
 */
export type CompiledLexicon = Readonly<Record<string, string>>;

const MARKS: Readonly<Record<PhraseMeaning["kind"], string>> = { same: "=", concept: ":", product: "@" };
const KINDS: Readonly<Record<string, PhraseMeaning["kind"]>> = { "=": "same", ":": "concept", "@": "product" };

export function writePhraseTable(table: ReadonlyMap<string, readonly PhraseMeaning[]>): string {
  const write = ({ kind, stems }: PhraseMeaning): string => `\t${MARKS[kind]}${stems.join(" ")}`;
  return [...table].map(([roots, meanings]) => `${roots}${meanings.map(write).join("")}`).join("\n");
}

export function readPhraseTable(text: string): PhraseTable {
  const meanings = new Map<string, PhraseMeaning[]>();
  const longest = new Map<string, number>();
  for (const line of text.split("\n")) {
    const [phrase = "", ...written] = line.split("\t");
    const roots = phrase.split(" ");
    const [first = ""] = roots;
    meanings.set(phrase, written.map(readMeaning));
    if (roots.length > (longest.get(first) ?? 0)) longest.set(first, roots.length);
  }
  return { meanings, longest };
}

function readMeaning(text: string): PhraseMeaning {
  return { kind: KINDS[text.slice(0, 1)] ?? "concept", stems: text.slice(1).split(" ") };
}

/**
 * The first two letters of a word, which stemming never changes. Accents on Latin letters are removed, because the
 * tokenizer removes them from queries.
 */
export function toInitials(word: string): string {
  return toBase(word.slice(0, 1)) + toBase(word.slice(1, 2));
}

function toBase(letter: string): string {
  return letter >= "\u00c0" && letter < "\u0250" ? letter.normalize("NFD").slice(0, 1) : letter;
}
