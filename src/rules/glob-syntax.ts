import { DiscoveryError } from "../errors.js";
import { foldName } from "../util/fold-name.js";

/** One element of a glob whose alternatives (`{a,b}`) are expanded. */
export type GlobStep =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "one" }
  | { readonly kind: "run" }
  | { readonly kind: "set"; readonly negated: boolean; readonly ranges: readonly CharacterRange[] };

type GlobNode = GlobStep | { readonly kind: "either"; readonly branches: readonly (readonly GlobNode[])[] };

/** An inclusive range of code points. */
export type CharacterRange = readonly [first: number, last: number];

/**
 * The maximum number of alternatives of a glob. They are counted before they are expanded, because `{a,b}{a,b}…`
 * doubles their number with every brace.
 */
const MAX_ALTERNATIVES = 256;

interface Cursor {
  readonly glob: string;
  readonly characters: readonly string[];
  at: number;
}

/**
 * Returns the alternatives of a glob, each a sequence of steps; a glob without `{a,b}` has one. Throws for a malformed
 * glob: if it were treated as literal text, a deny rule could silently match nothing.
 */
export function parseGlob(glob: string): readonly (readonly GlobStep[])[] {
  const cursor: Cursor = { glob, characters: Array.from(glob), at: 0 };
  const nodes = parseSequence(cursor, false);
  if (nodes.length === 0) throw malformed(cursor, "is empty");
  if (countAlternatives(nodes) > MAX_ALTERNATIVES) {
    throw malformed(cursor, `has more than ${MAX_ALTERNATIVES} alternatives`);
  }
  return expand(nodes);
}

function countAlternatives(nodes: readonly GlobNode[]): number {
  let count = 1;
  for (const node of nodes) {
    if (node.kind === "either") count *= node.branches.reduce((sum, branch) => sum + countAlternatives(branch), 0);
  }
  return count;
}

function expand(nodes: readonly GlobNode[]): GlobStep[][] {
  let alternatives: GlobStep[][] = [[]];
  for (const node of nodes) {
    const endings = node.kind === "either" ? node.branches.flatMap(expand) : [[node]];
    alternatives = alternatives.flatMap((beginning) => endings.map((ending) => join(beginning, ending)));
  }
  return alternatives;
}

/** Concatenates two sequences of steps; merges adjacent text steps and adjacent `*`. */
function join(beginning: readonly GlobStep[], ending: readonly GlobStep[]): GlobStep[] {
  const [next, ...rest] = ending;
  const last = beginning.at(-1);
  if (last?.kind === "run" && next?.kind === "run") return [...beginning, ...rest];
  if (last?.kind === "text" && next?.kind === "text") {
    return [...beginning.slice(0, -1), { kind: "text", text: last.text + next.text }, ...rest];
  }
  return [...beginning, ...ending];
}

function parseSequence(cursor: Cursor, nested: boolean): GlobNode[] {
  const nodes: GlobNode[] = [];
  let literal = "";
  const endLiteral = (): void => {
    if (literal !== "") nodes.push({ kind: "text", text: literal });
    literal = "";
  };
  for (let next = cursor.characters[cursor.at]; next !== undefined; next = cursor.characters[cursor.at]) {
    if (nested && (next === "," || next === "}")) break;
    if (isSpecial(next)) {
      endLiteral();
      nodes.push(parseSpecial(cursor, next));
    } else {
      literal += parseLiteral(cursor);
    }
  }
  endLiteral();
  return nodes;
}

type Special = "*" | "?" | "[" | "{";

function isSpecial(character: string): character is Special {
  return character === "*" || character === "?" || character === "[" || character === "{";
}

function parseSpecial(cursor: Cursor, special: Special): GlobNode {
  cursor.at += 1;
  switch (special) {
    case "*":
      return { kind: "run" };
    case "?":
      return { kind: "one" };
    case "[":
      return parseSet(cursor);
    case "{":
      return parseEither(cursor);
  }
}

function parseLiteral(cursor: Cursor): string {
  const character = cursor.characters[cursor.at];
  if (character === "]" || character === "}") {
    throw malformed(cursor, `has an unmatched "${character}" (write "\\${character}" for the character itself)`);
  }
  cursor.at += 1;
  if (character !== "\\") return character ?? "";
  const escaped = cursor.characters[cursor.at];
  if (escaped === undefined) throw malformed(cursor, 'ends with an unfinished escape "\\"');
  cursor.at += 1;
  return escaped;
}

function parseSet(cursor: Cursor): GlobNode {
  const negated = cursor.characters[cursor.at] === "!" || cursor.characters[cursor.at] === "^";
  if (negated) cursor.at += 1;
  const ranges: CharacterRange[] = [];
  const texts: string[] = [];
  while (cursor.characters[cursor.at] !== "]") {
    const first = parseSetMember(cursor);
    const isRange = cursor.characters[cursor.at] === "-" && cursor.characters[cursor.at + 1] !== "]";
    if (isRange) cursor.at += 1;
    const last = isRange ? parseSetMember(cursor) : first;
    if (last < first) throw malformed(cursor, "has a range in [ ] whose end comes before its start");
    const text = first === last ? foldName(String.fromCodePoint(first)) : "";
    if (Array.from(text).length > 1) texts.push(text);
    else ranges.push([first, last]);
  }
  cursor.at += 1;
  if (ranges.length + texts.length === 0) throw malformed(cursor, 'has an empty "[ ]"');
  const set: GlobNode = { kind: "set", negated, ranges };
  // The normal form of a character such as "ß" has two letters, so the character is an alternative of the set.
  if (negated || texts.length === 0) return set;
  const branches = texts.map((text): GlobNode[] => [{ kind: "text", text }]);
  return { kind: "either", branches: ranges.length === 0 ? branches : [[set], ...branches] };
}

function parseSetMember(cursor: Cursor): number {
  if (cursor.characters[cursor.at] === "\\") cursor.at += 1;
  const member = cursor.characters[cursor.at]?.codePointAt(0);
  if (member === undefined) throw malformed(cursor, 'has an unclosed "["');
  cursor.at += 1;
  return member;
}

function parseEither(cursor: Cursor): GlobNode {
  const branches: GlobNode[][] = [];
  for (;;) {
    branches.push(parseSequence(cursor, true));
    const end = cursor.characters[cursor.at];
    if (end === undefined) throw malformed(cursor, 'has an unclosed "{"');
    cursor.at += 1;
    if (end === "}") break;
  }
  if (branches.every((branch) => branch.length === 0)) throw malformed(cursor, 'has an empty "{ }"');
  return { kind: "either", branches };
}

function malformed(cursor: Cursor, what: string): DiscoveryError {
  return new DiscoveryError("CONFIGURATION_ERROR", `The glob "${cursor.glob}" ${what}.`, {
    hint: 'Correct the pattern; "*", "?", "[abc]" and "{a,b}" are special, and "\\" makes the next character ordinary.',
  });
}
