import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Pair,
  parse,
  parseDocument,
  stringify,
  type YAMLMap,
  YAMLParseError,
  type YAMLSeq,
} from "yaml";
import { type Change, type TextEdit, edited, refused } from "./change.js";
import { commentStart, lineStart, nextLine, type Splice, splice, styleOf, type TextStyle } from "./text-style.js";
import { editFlow } from "./yaml-flow.js";

/** Changes one map or list in a YAML text. Every other line is preserved. */
export function editYaml(text: string, change: Change): TextEdit {
  const document = parseDocument(text, { keepSourceTokens: true });
  if (document.errors.length > 0) return refused("is not valid YAML");
  const style = styleOf(text);
  const node = document.getIn([...change.container], true);
  const isEmpty = isCollection(node) && node.items.length === 0 && !isInFlow(document, change);
  if (node === undefined || node === null || (isScalar(node) && node.value === null) || isEmpty) {
    return addContainer(text, document, { change, style });
  }
  const isExpected = change.kind === "map" ? isMap(node) : isSeq(node);
  if (!isExpected) return refused(`has no ${change.kind} at the path of its servers`);
  const collection = node as YAMLMap | YAMLSeq;
  if (collection.flow === true) return editFlow(text, collection, change, style);
  return changeMembers(text, collection, { change, style, document });
}

interface MemberChange {
  readonly change: Change;
  readonly style: TextStyle;
  readonly document: Document;
}

/** Whether the parent of the changed map or list is written in flow style (braces). */
function isInFlow(document: Document, { container }: Change): boolean {
  const holder = container.length === 0 ? undefined : document.getIn(container.slice(0, -1), true);
  return isCollection(holder) && holder.flow === true;
}

/** The lines of a member. Its first line may begin with the dash of the surrounding list. */
interface Lines {
  readonly start: number;
  readonly end: number;
  readonly indent: string;
  readonly isShared: boolean;
}

function changeMembers(text: string, node: YAMLMap | YAMLSeq, { change, style, document }: MemberChange): TextEdit {
  const members = node.items.map((item, index) => ({
    key: isMap(node) ? keyOf(item as Pair) : index,
    lines: linesOf(text, node, index),
  }));
  const known = members.flatMap(({ key, lines }) => (lines === undefined ? [] : [{ key, lines }]));
  if (known.length < members.length) return refused("has members whose lines cannot be determined");
  const removed = known.filter(({ key }) => change.remove.includes(key));
  if (removed.some(({ lines }) => lines.isShared)) return refused("has several servers on one line");
  const [first] = known;
  const last = known.at(-1);
  if (first === undefined || last === undefined) return refused("has no servers");
  const added = membersText(change, first.lines.indent, style);
  const splices = removed.map(({ lines }, index): Splice => {
    const { start, end } = lines;
    const isReplaced = index === 0 && added !== "";
    if (isReplaced) return { start, end, text: closed(text, lines, added, style) };
    return { start: change.takesComments === true ? commentStart(text, start, /^#/) : start, end, text: "" };
  });
  if (removed.length === 0 && added !== "") {
    const { end } = last.lines;
    const gap = text.slice(0, end).endsWith("\n") ? "" : style.lineBreak;
    splices.push({ start: end, end, text: `${gap}${added}` });
  }
  if (removed.length === known.length && added === "") {
    const colon = colonOf(document, change);
    if (colon === undefined) return refused("has servers that cannot be removed");
    splices.push({ start: colon, end: colon, text: change.kind === "map" ? " {}" : " []" });
  }
  return edited(splice(text, splices));
}

/**
 * Removes the line break at the end of `added` if `added` is written at the end of a file that does not end with one.
 */
function closed(text: string, { end }: Pick<Lines, "end">, added: string, { lineBreak }: TextStyle): string {
  const isLast = end === text.length && !text.endsWith("\n");
  return isLast && added.endsWith(lineBreak) ? added.slice(0, -lineBreak.length) : added;
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : "";
}

function linesOf(text: string, node: YAMLMap | YAMLSeq, index: number): Lines | undefined {
  const token = node.srcToken;
  const item: unknown = node.items[index];
  const indicator =
    token?.type === "block-seq" ? token.items[index]?.start.find(({ type }) => type === "seq-item-ind") : undefined;
  const key = isMap(node) ? (item as Pair).key : undefined;
  const offset = indicator?.offset ?? (isNode(key) ? key.range?.[0] : undefined);
  if (offset === undefined) return undefined;
  const start = lineStart(text, offset);
  const before = text.slice(start, offset);
  const end = contentEnd(isMap(node) ? (item as Pair).value : item) ?? (isNode(key) ? key.range?.[1] : undefined);
  return {
    start,
    end: nextLine(text, Math.max(offset, (end ?? offset) - 1)),
    indent: before.replace(/\S/g, " "),
    isShared: before.trim() !== "",
  };
}

/**
 * Returns the offset at which the value's content ends. The parser's range of a map or list cannot be used, because it
 * includes the comments after it.
 */
function contentEnd(value: unknown): number | undefined {
  if (isCollection(value) && value.flow !== true) {
    for (const item of [...value.items].reverse()) {
      const pair = isNode(item) ? undefined : (item as Pair);
      const end = pair === undefined ? contentEnd(item) : (contentEnd(pair.value) ?? contentEnd(pair.key));
      if (end !== undefined) return end;
    }
  }
  const range = isNode(value) ? value.range : undefined;
  return range === null || range === undefined || range[1] === range[0] ? undefined : range[1];
}

/** The offset after the colon of the key of the changed map or list. */
function colonOf(document: Document, { container }: Change): number | undefined {
  const holder = document.getIn(container.slice(0, -1), true);
  if (!isMap(holder)) return undefined;
  const index = holder.items.findIndex((pair) => keyOf(pair) === container.at(-1));
  const token = holder.srcToken;
  if (token?.type !== "block-map") return undefined;
  const colon = token.items[index]?.sep?.find(({ type }) => type === "map-value-ind");
  return colon === undefined ? undefined : colon.offset + 1;
}

/** Adds members to a map or list that is missing or empty, below its key. */
function addContainer(text: string, document: Document, parts: Omit<MemberChange, "document">): TextEdit {
  const { change, style } = parts;
  if (change.add.length === 0) return edited(text);
  const [key, ...deeper] = change.container;
  if (key === undefined) return addAtRoot(text, parts);
  if (deeper.length > 0 || typeof key !== "string") return addDeeper(text, document, parts);
  const added = membersText(change, style.indent, style);
  const colon = colonOf(document, change);
  if (colon !== undefined) {
    const node = document.getIn([key], true);
    const range = isCollection(node) ? node.range : undefined;
    const emptied = range ? [{ start: colon, end: range[1], text: "" }] : [];
    const at = nextLine(text, range?.[1] ?? colon);
    const gap = text.slice(0, at).endsWith("\n") ? "" : style.lineBreak;
    return edited(splice(text, [...emptied, { start: at, end: at, text: `${gap}${added}` }]));
  }
  const root = document.contents;
  if (isMap(root) && root.flow === true) return editFlow(text, root, withContent(change, key), style);
  if (root !== null && !isMap(root)) return refused("is not a map of keys");
  const gap = text === "" || text.endsWith("\n") ? "" : style.lineBreak;
  return edited(`${text}${gap}${JSON.stringify(key).replace(/^"([A-Za-z_]\w*)"$/, "$1")}:${style.lineBreak}${added}`);
}

/** Adds members to an empty document. */
function addAtRoot(text: string, { change, style }: Omit<MemberChange, "document">): TextEdit {
  const gap = text === "" || text.endsWith("\n") ? "" : style.lineBreak;
  return edited(`${text}${gap}${membersText(change, "", style)}`);
}

/** Returns a change of the parent map that adds the container with its members. */
function withContent({ kind, add, container }: Change, key: string): Change {
  const content =
    kind === "list" ? add.map(({ value }) => value) : Object.fromEntries(add.map((one) => [one.key, one.value]));
  return { container: container.slice(0, -1), kind: "map", remove: [], add: [{ key, value: content }] };
}

/** Adds a container two levels down, below a map that has other members or is missing. */
function addDeeper(text: string, document: Document, { change, style }: Omit<MemberChange, "document">): TextEdit {
  const [key, inner, ...deeper] = change.container;
  if (typeof key !== "string" || typeof inner !== "string" || deeper.length > 0) {
    return refused("has its servers at a path that is not supported");
  }
  const outer = withContent(change, inner);
  const node = document.getIn([key], true);
  if (isMap(node) && node.items.length > 0) {
    const index = node.items.findIndex((pair) => keyOf(pair) === inner);
    const replacing = { ...outer, remove: index === -1 ? [] : [inner] };
    if (node.flow === true) return editFlow(text, node, replacing, style);
    return changeMembers(text, node, { change: replacing, style, document });
  }
  return addContainer(text, document, { change: outer, style });
}

function membersText({ kind, add }: Change, indent: string, { indent: step, lineBreak }: TextStyle): string {
  const options = { indent: step.startsWith("\t") ? 2 : Math.max(step.length, 1), lineWidth: 0 };
  return add
    .map(({ key, value }) => stringify(kind === "list" ? [value] : { [key]: value }, options))
    .flatMap((block) => block.trimEnd().split("\n"))
    .map((line) => (line === "" ? lineBreak : `${indent}${line}${lineBreak}`))
    .join("");
}

/** Returns the parsed document; undefined if it is not valid YAML or its aliases expand too far. */
export function readYaml(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: (parse(text, { merge: true, logLevel: "error" }) as unknown) ?? {} };
  } catch (error) {
    if (error instanceof YAMLParseError || error instanceof ReferenceError) return undefined;
    throw error;
  }
}
