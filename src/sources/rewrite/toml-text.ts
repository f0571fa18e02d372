import { parse, stringify, TomlError } from "smol-toml";
import { isJsonObject } from "../../model/json.js";
import { type Change, type TextEdit, edited, refused } from "./change.js";
import { findStatements, type TomlStatement } from "./toml-statements.js";
import { type Splice, splice, styleOf } from "./text-style.js";

/**
 * Changes one map in a TOML text: adds and removes whole tables, or adds assignments to a table. Every other line is
 * preserved.
 */
export function editToml(text: string, { container, kind, remove, add }: Change): TextEdit {
  const section = container.map(String);
  if (kind !== "map") return refused("has its servers in a list, which is not supported");
  const statements = findStatements(text);
  if (add.length > 0 && remove.length === 0 && add.every(({ value }) => !isJsonObject(value))) {
    return addPairs(text, { statements, section, add });
  }
  const whole = statements.some(({ kind: what, path }) => what === "pair" && isSame(path, section));
  if (whole) return refused(`has \`${section.join(".")}\` as an inline table; only separate tables are supported`);
  const blocks = blocksOf(statements, section, remove.map(String));
  const { lineBreak } = styleOf(text);
  const added = add.map(({ key, value }) => stringify(nested([...section, key], value)).trimEnd());
  const block = added.join("\n\n").replaceAll("\n", lineBreak);
  // All assignments after a table header belong to that table, so a new table may only replace another table.
  const replaced = added.length > 0 ? blocks.find(({ isTable }) => isTable) : undefined;
  const splices = blocks.map((one): Splice => {
    const closing = text.slice(one.start, one.end).endsWith("\n") ? lineBreak : "";
    if (one === replaced) return { start: one.start, end: one.end, text: `${block}${closing}` };
    return { start: one.start, end: one.end + blankAfter(text, one), text: "" };
  });
  const kept = splice(text, splices);
  if (added.length === 0 || replaced !== undefined) return edited(kept);
  const gap =
    kept.trim() === "" ? "" : /\n\r?\n$/.test(kept) ? "" : kept.endsWith("\n") ? lineBreak : lineBreak.repeat(2);
  return edited(`${kept}${gap}${block}${lineBreak}`);
}

interface PairAddition {
  readonly statements: readonly TomlStatement[];
  readonly section: readonly string[];
  readonly add: Change["add"];
}

/** Adds assignments after the last assignment of a table that has its own header. */
function addPairs(text: string, { statements, section, add }: PairAddition): TextEdit {
  const header = statements.findIndex(({ kind, path }) => kind === "table" && isSame(path, section));
  if (header === -1) return refused(`has no table [${section.join(".")}]`);
  const next = statements.findIndex(({ kind }, index) => index > header && kind !== "pair");
  const last = statements[(next === -1 ? statements.length : next) - 1];
  if (last === undefined) return refused(`has no table [${section.join(".")}]`);
  const { lineBreak } = styleOf(text);
  const lines = add.map(({ key, value }) => `${stringify({ [key]: value }).trimEnd()}${lineBreak}`).join("");
  const opening = text.slice(0, last.end).endsWith("\n") ? "" : lineBreak;
  return edited(splice(text, [{ start: last.end, end: last.end, text: `${opening}${lines}` }]));
}

interface Block {
  readonly start: number;
  readonly end: number;
  readonly isTable: boolean;
}

/** Groups consecutive statements of one removed member, including comments between them. */
function blocksOf(statements: readonly TomlStatement[], section: readonly string[], names: readonly string[]): Block[] {
  const blocks: (Block & { readonly name: string; readonly index: number })[] = [];
  for (const [index, { kind, path, start, end }] of statements.entries()) {
    const name = path[section.length];
    if (name === undefined || !names.includes(name) || !isSame(path.slice(0, section.length), section)) continue;
    const last = blocks.at(-1);
    if (last?.name === name && last.index === index - 1) {
      blocks[blocks.length - 1] = { ...last, end, index };
    } else {
      blocks.push({ name, start, end, index, isTable: kind !== "pair" });
    }
  }
  return blocks;
}

/**
 * The number of characters in the blank lines to remove after a block. 0 unless blank lines or the start of the text
 * precede the block.
 */
function blankAfter(text: string, { start, end }: Block): number {
  const isSeparated = start === 0 || /\n[ \t]*\r?\n$/.test(text.slice(0, start));
  return isSeparated ? (/^(?:[ \t]*\r?\n)+/.exec(text.slice(end))?.[0].length ?? 0) : 0;
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((part, index) => part === right[index]);
}

function nested(path: readonly string[], value: unknown): Record<string, unknown> {
  const [key = "", ...rest] = path;
  return { [key]: rest.length === 0 ? value : nested(rest, value) };
}

/** Returns the parsed document; undefined if the text is not valid TOML. */
export function readToml(text: string): { readonly value: unknown } | undefined {
  try {
    // The parser's maps have no prototype; the clone makes them comparable with plain objects.
    return { value: structuredClone(parse(text, { integersAsBigInt: "asNeeded" })) };
  } catch (error) {
    if (error instanceof TomlError) return undefined;
    throw error;
  }
}
