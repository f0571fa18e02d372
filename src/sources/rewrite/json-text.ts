import { createScanner, findNodeAtLocation, type Node, type ParseError, parseTree } from "jsonc-parser";
import type { Path } from "../../util/document/problem.js";
import { type Change, type TextEdit, edited, type TextMember, refused } from "./change.js";
import { toJsonText } from "./json-value.js";
import {
  beginsLine,
  commentStart,
  indentAt,
  indentLines,
  lineEnd,
  lineStart,
  nextLine,
  type Splice,
  splice,
  styleOf,
  type TextStyle,
} from "./text-style.js";

/**
 * Changes one map or list in a JSON text. Every byte outside of the removed and added members is preserved, including
 * comments. The edit function of the parser library is not used, because it reformats the lines that it touches.
 */
export function editJson(text: string, change: Change): TextEdit {
  const style = styleOf(text);
  if (text.trim() === "") {
    const value = wrapped(change.container, contentOf(change));
    return edited(`${text}${toJsonText(value, { step: style.indent, layout: "lines" })}\n`);
  }
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (root === undefined || errors.length > 0) return refused("is not valid JSON");
  const node = findNodeAtLocation(root, [...change.container]);
  const type = change.kind === "map" ? "object" : "array";
  if (node === undefined || node.type === "null") return addContainer(text, root, change);
  if (node.type !== type) return refused(`has no ${change.kind} at the path of its servers`);
  return edited(splice(text, changeMembers(text, node, { change, style })));
}

function contentOf({ kind, add }: Change): unknown {
  return kind === "list"
    ? add.map(({ value }) => value)
    : Object.fromEntries(add.map(({ key, value }) => [key, value]));
}

function wrapped(path: Path, content: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), content);
}

/** Adds a map or list that is missing, with its new members, as the last member of its parent. */
function addContainer(text: string, root: Node, change: Change): TextEdit {
  if (change.add.length === 0) return edited(text);
  const { container } = change;
  for (let length = container.length - 1; length >= 0; length -= 1) {
    const holder = findNodeAtLocation(root, container.slice(0, length));
    const [key, ...rest] = container.slice(length);
    if (holder === undefined || holder.type === "null") continue;
    if (holder.type !== "object") return refused("has no map at the path of its servers");
    const member = { key: String(key), value: wrapped(rest, contentOf(change)) };
    const isEmpty = findNodeAtLocation(holder, [String(key)]) !== undefined;
    const inner: Change = {
      container: [],
      kind: "map",
      remove: isEmpty ? [member.key] : [],
      add: [member],
    };
    return edited(splice(text, changeMembers(text, holder, { change: inner, style: styleOf(text) })));
  }
  return refused("has no map at the path of its servers");
}

interface MemberChange {
  readonly change: Change;
  readonly style: TextStyle;
}

function changeMembers(text: string, container: Node, { change, style }: MemberChange): Splice[] {
  const children = container.children ?? [];
  const isRemoved = (child: Node, index: number): boolean =>
    change.remove.includes(change.kind === "list" ? index : String(child.children?.[0]?.value));
  const removed = children.filter(isRemoved);
  const kept = children.filter((child, index) => !isRemoved(child, index));
  const [first] = removed;
  if (children.length === 0) return change.add.length === 0 ? [] : [fillEmpty(text, container, { change, style })];
  // The new members replace the first removed one, so that no comma has to move.
  const replaced = change.add.length > 0 ? first : undefined;
  const gone = removed.filter((child) => child !== replaced);
  const last = lastOf(children.filter((child) => kept.includes(child) || child === replaced));
  const splices = gone.flatMap((child) => removal(text, child, commaAfter(text, child, container), change));
  const isOpenEnded = commaAfter(text, lastOf(children), container) !== undefined;
  const comma = last === undefined ? undefined : commaAfter(text, last, container);
  if (last !== lastOf(children) && !isOpenEnded && comma !== undefined) {
    splices.push({ start: comma, end: comma + 1, text: "" });
  }
  if (replaced !== undefined) {
    const { offset: start, length } = replaced;
    splices.push({ start, end: start + length, text: membersText(text, start, { change, style }) });
  } else if (change.add.length > 0) {
    splices.push(...append(text, container, { change, style }));
  }
  return splices;
}

function lastOf(nodes: readonly Node[]): Node | undefined {
  return nodes.at(-1);
}

/** The offset of the comma after a member, if there is one before the next member or the end. */
function commaAfter(text: string, child: Node | undefined, container: Node): number | undefined {
  if (child === undefined) return undefined;
  const scanner = createScanner(text, true);
  scanner.setPosition(child.offset + child.length);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return at < container.offset + container.length && text[at] === "," ? at : undefined;
}

/**
 * Removes a member with its comma, and its lines if they contain nothing else. A comment on the same line is preserved.
 */
function removal(text: string, child: Node, comma: number | undefined, { takesComments }: Change): Splice[] {
  const { offset, length } = child;
  const valueEnd = offset + length;
  const isNear = comma !== undefined && text.slice(valueEnd, comma).trim() === "";
  const end = isNear ? comma + 1 : valueEnd;
  const farComma = comma === undefined || isNear ? [] : [{ start: comma, end: comma + 1, text: "" }];
  const lines = linesOf(text, offset, end);
  const isWhole = lines.start === lineStart(text, offset);
  const start = takesComments === true && isWhole ? commentStart(text, lines.start, COMMENT_LINE) : lines.start;
  return [{ start, end: lines.end, text: "" }, ...farComma];
}

const COMMENT_LINE = /^(?:\/\/.*|\/\*(?:(?!\*\/).)*\*\/)$/;

function linesOf(text: string, start: number, end: number): { readonly start: number; readonly end: number } {
  if (beginsLine(text, start)) {
    const rest = text.slice(end, lineEnd(text, end));
    if (rest.trim() === "") return { start: lineStart(text, start), end: nextLine(text, end) };
    return { start, end: end + (/^[ \t]*/.exec(rest)?.[0].length ?? 0) };
  }
  const before = /[ \t]*$/.exec(text.slice(lineStart(text, start), start))?.[0].length ?? 0;
  return { start: start - before, end };
}

function append(text: string, container: Node, { change, style }: MemberChange): Splice[] {
  const last = lastOf(container.children ?? []);
  if (last === undefined) return [];
  const end = last.offset + last.length;
  const comma = commaAfter(text, last, container);
  const after = comma === undefined ? end : comma + 1;
  const rest = text.slice(after, lineEnd(text, after));
  const isOwnLine = beginsLine(text, last.offset);
  // A comment at the end of the line belongs to the member before it, so new members are added after the comment.
  const at = isOwnLine && /^\s*(?:\/\/.*|(?:\/\*.*\*\/)?\s*)$/.test(rest) ? lineEnd(text, after) : after;
  const space = /":\S/.test(text) ? "" : " ";
  const separator = isOwnLine ? `${style.lineBreak}${indentAt(text, last.offset)}` : space;
  const added = membersText(text, last.offset, { change, style });
  const closing = comma === undefined ? "" : ",";
  const opening = comma === undefined ? [{ start: end, end, text: "," }] : [];
  return [...opening, { start: at, end: at, text: `${separator}${added}${closing}` }];
}

function fillEmpty(text: string, container: Node, { change, style }: MemberChange): Splice {
  const start = container.offset + 1;
  const end = container.offset + container.length - 1;
  const inner = text.slice(start, end);
  if (!text.trim().includes("\n")) return { start, end: start, text: membersInline(text, change) };
  const base = indentAt(text, container.offset);
  const indent = `${base}${style.indent}`;
  const opening = `${style.lineBreak}${indent}${membersOnLines(change, indent, style)}`;
  if (inner.includes("\n")) return { start, end: start, text: opening };
  return { start, end: inner.trim() === "" ? end : start, text: `${opening}${style.lineBreak}${base}` };
}

/** The text of the new members, formatted like the member at the offset. */
function membersText(text: string, offset: number, { change, style }: MemberChange): string {
  if (!beginsLine(text, offset)) return membersInline(text, change);
  return membersOnLines(change, indentAt(text, offset), style);
}

function membersOnLines(change: Change, indent: string, style: TextStyle): string {
  const write = (value: unknown): string =>
    indentLines(toJsonText(value, { step: style.indent, layout: "lines" }), indent, style);
  return members(change, ": ", write).join(`,${style.lineBreak}${indent}`);
}

function membersInline(text: string, change: Change): string {
  const isCompact = /":\S/.test(text);
  const layout = isCompact ? "compact" : "line";
  const write = (value: unknown): string => toJsonText(value, { step: "", layout });
  return members(change, isCompact ? ":" : ": ", write).join(isCompact ? "," : ", ");
}

function members({ kind, add }: Change, colon: string, write: (value: unknown) => string): string[] {
  return add.map(({ key, value }: TextMember) =>
    kind === "list" ? write(value) : `${JSON.stringify(key)}${colon}${write(value)}`,
  );
}
