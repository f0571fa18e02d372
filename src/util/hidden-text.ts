// Hidden characters: characters that a reader cannot see, or that change the order in which other characters are shown.
// A model reads them, so a text can tell a model something that no user sees.

export type HiddenKind = "tags" | "bidi" | "zero-width" | "filler" | "variation-selectors";

/** The hidden characters of a result: their number and their kinds. */
export interface HiddenCharacters {
  readonly characters: number;
  readonly kinds: readonly HiddenKind[];
}

/**
 * The fast test: every hidden character contains one of these UTF-16 units. It contains no Latin-1 character, so that
 * V8 decides most texts without reading them. Emoji, Persian and Braille contain some of these units too; `HIDDEN`
 * distinguishes them.
 */
const CANDIDATE_UNITS = String.raw`\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud82f\udb40`;
const CANDIDATE = new RegExp(`[${CANDIDATE_UNITS}]`);
const NEXT_CANDIDATE = new RegExp(CANDIDATE, "g");

/** The flags of England, Scotland and Wales, the only emoji with tag characters that are in use. */
const FLAG = String.raw`(?<=\u{1f3f4})\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`;
/** A letter or mark of a script in which joiners change the shape of letters, such as Arabic or Devanagari. */
const JOINING = String.raw`(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Variation_Selector}])[\p{L}\p{M}]`;
const EMOJI = String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]`;
/** A character that a variation selector may follow. */
const VARIED = String.raw`(?:[\p{Emoji}\p{S}\p{Script=Han}\p{Script=Mongolian}\p{Script=Myanmar}\p{P}])`;

const ORDINARY = [
  FLAG,
  String.raw`(?<=${JOINING})[\u200c\u200d](?=\p{L})`,
  String.raw`(?<=${EMOJI})\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=${VARIED})[\ufe00-\ufe0f\u180b-\u180d\u180f\u{e0100}-\u{e01ef}]`,
  String.raw`(?<=[\u2801-\u28ff])\u2800|\u2800(?=[\u2801-\u28ff])`,
  String.raw`(?<=[\u1100-\u115e])\u1160|\u115f(?=[\u1161-\u11a7])`,
  // A byte order mark at the start of a file's content.
  String.raw`^\ufeff`,
].join("|");

const KINDS: readonly (readonly [HiddenKind, string])[] = [
  ["tags", String.raw`[\u{e0000}-\u{e007f}]`],
  ["bidi", String.raw`[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]`],
  ["filler", String.raw`[\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]`],
  ["variation-selectors", String.raw`[\ufe00-\ufe0f\u180b-\u180d\u180f\u{e0100}-\u{e01ef}]`],
  [
    "zero-width",
    String.raw`[\u034f\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{e0080}-\u{e00ff}\u{e01f0}-\u{e0fff}]`,
  ],
];

const toGroup = ([, characters]: (typeof KINDS)[number], index: number): string => `(?<k${index}>${characters})`;
/** Matches one ordinary sequence, without a group, or one hidden character. Runs only at the places of candidates. */
const HIDDEN = new RegExp(`${ORDINARY}|${KINDS.map(toGroup).join("|")}`, "uy");

/** How much of one value is checked, in characters; more would delay other calls. */
const MAX_CHECKED = 4 * 1024 * 1024;
const MAX_VALUES = 100_000;

export function hasHiddenText(text: string): boolean {
  return countHidden(text, new Map()) > 0;
}

/** Removes the hidden characters. */
export function withoutHiddenText(text: string): string {
  return replaceHidden(text, () => "");
}

/** Replaces each hidden character with a visible escape, such as `\u{e0041}`. */
export function revealHiddenText(text: string): string {
  return replaceHidden(text, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Returns equivalent JSON in which the hidden characters are visible escapes. */
export function revealHiddenJson(json: string): string {
  return replaceHidden(json, (character) =>
    Array.from({ length: character.length }, (_, unit) => toUnitEscape(character.charCodeAt(unit))).join(""),
  );
}

/** The hidden characters in all strings of a JSON value, names of members included; undefined if there are none. */
export function findHiddenText(value: unknown): HiddenCharacters | undefined {
  const search: Search = { characters: MAX_CHECKED, values: MAX_VALUES, found: new Map() };
  const count = searchValue(value, search);
  return count === 0 ? undefined : { characters: count, kinds: [...search.found.keys()].sort() };
}

interface Search {
  /** How many more characters and values are checked. */
  characters: number;
  values: number;
  readonly found: Map<HiddenKind, number>;
}

function searchValue(value: unknown, search: Search): number {
  if (typeof value === "string") return searchText(value, search);
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  for (const name in value) {
    if (search.values-- <= 0 || search.characters <= 0) break;
    if (!Array.isArray(value)) count += searchText(name, search);
    count += searchValue((value as Readonly<Record<string, unknown>>)[name], search);
  }
  return count;
}

function searchText(text: string, search: Search): number {
  const checked = text.length > search.characters ? text.slice(0, search.characters) : text;
  search.characters -= checked.length;
  return countHidden(checked, search.found);
}

interface HiddenCharacter {
  readonly kind: HiddenKind;
  readonly index: number;
  readonly character: string;
}

function* hiddenIn(text: string): Generator<HiddenCharacter> {
  let from = 0;
  for (;;) {
    NEXT_CANDIDATE.lastIndex = from;
    const index = NEXT_CANDIDATE.exec(text)?.index;
    if (index === undefined) return;
    HIDDEN.lastIndex = index;
    const match = HIDDEN.exec(text);
    from = index + (match?.[0].length ?? 1);
    const kind = KINDS.find((_, position) => match?.groups?.[`k${position}`] !== undefined)?.[0];
    if (kind !== undefined && match !== null) yield { kind, index, character: match[0] };
  }
}

function countHidden(text: string, found: Map<HiddenKind, number>): number {
  if (!CANDIDATE.test(text)) return 0;
  let count = 0;
  for (const { kind } of hiddenIn(text)) {
    found.set(kind, (found.get(kind) ?? 0) + 1);
    count += 1;
  }
  return count;
}

function replaceHidden(text: string, replace: (character: string) => string): string {
  if (!CANDIDATE.test(text)) return text;
  let replaced = "";
  let from = 0;
  for (const { index, character } of hiddenIn(text)) {
    replaced += text.slice(from, index) + replace(character);
    from = index + character.length;
  }
  return from === 0 ? text : replaced + text.slice(from);
}

function toUnitEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
