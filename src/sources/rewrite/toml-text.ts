import { parse, stringify, TomlError } from "smol-toml";
import { type Change, type Edited, edited, refused } from "./change.js";
import { findStatements, type Statement } from "./toml-statements.js";
import { type Splice, splice, styleOf } from "./text-style.js";

/** Changes one map of tables in a TOML text: whole tables go and come, every other line stays. */
export function editToml(text: string, { container, kind, remove, add }: Change): Edited {
  const section = container.map(String);
  if (kind !== "map") return refused("keeps its servers in a list, which is not understood");
  const statements = findStatements(text);
  const whole = statements.some(({ kind: what, path }) => what === "pair" && isSame(path, section));
  if (whole) return refused(`has \`${section.join(".")}\` on one line, where tables of their own are expected`);
  const blocks = blocksOf(statements, section, remove.map(String));
  const { lineBreak } = styleOf(text);
  const added = add.map(({ key, value }) => stringify(nested([...section, key], value)).trimEnd());
  const block = added.join("\n\n").replaceAll("\n", lineBreak);
  // A header takes in every assignment after it, so that only another header may give way to it.
  const place = added.length > 0 ? blocks.find(({ isTable }) => isTable) : undefined;
  const splices = blocks.map((one): Splice => {
    const closing = text.slice(one.start, one.end).endsWith("\n") ? lineBreak : "";
    if (one === place) return { start: one.start, end: one.end, text: `${block}${closing}` };
    return { start: one.start, end: one.end + blankAfter(text, one), text: "" };
  });
  const kept = splice(text, splices);
  if (added.length === 0 || place !== undefined) return edited(kept);
  const gap =
    kept.trim() === "" ? "" : /\n\r?\n$/.test(kept) ? "" : kept.endsWith("\n") ? lineBreak : lineBreak.repeat(2);
  return edited(`${kept}${gap}${block}${lineBreak}`);
}

interface Block {
  readonly start: number;
  readonly end: number;
  readonly isTable: boolean;
}

/** Runs of statements that belong to one of the members; comments between two statements of a run belong to it too. */
function blocksOf(statements: readonly Statement[], section: readonly string[], names: readonly string[]): Block[] {
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

/** Blank lines after a block go with it where there are some before it. */
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

/** The whole document as data; undefined when it is not valid. */
export function readToml(text: string): { readonly value: unknown } | undefined {
  try {
    // Its maps have no prototype, which would make them differ from ours.
    return { value: structuredClone(parse(text, { integersAsBigInt: "asNeeded" })) };
  } catch (error) {
    if (error instanceof TomlError) return undefined;
    throw error;
  }
}
