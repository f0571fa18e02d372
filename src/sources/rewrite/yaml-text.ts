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
import { type Change, type Edited, edited, refused } from "./change.js";
import { indentAt, lineStart, nextLine, type Splice, splice, styleOf, type TextStyle } from "./text-style.js";

/** Changes one map or list in a YAML text whose members stand on lines of their own; every other line stays. */
export function editYaml(text: string, change: Change): Edited {
  const document = parseDocument(text, { keepSourceTokens: true });
  if (document.errors.length > 0) return refused("is not valid YAML");
  const style = styleOf(text);
  const node = document.getIn([...change.container], true);
  const isEmpty = isCollection(node) && node.items.length === 0;
  if (node === undefined || node === null || (isScalar(node) && node.value === null) || isEmpty) {
    return addContainer(text, document, { change, style });
  }
  const isExpected = change.kind === "map" ? isMap(node) : isSeq(node);
  if (!isExpected) return refused(`holds no ${change.kind} where its servers should be`);
  const collection = node as YAMLMap | YAMLSeq;
  if (collection.flow === true)
    return refused("has its servers in braces on one line, where lines of their own are expected");
  return changeMembers(text, collection, { change, style, document });
}

interface MemberChange {
  readonly change: Change;
  readonly style: TextStyle;
  readonly document: Document;
}

interface Lines {
  readonly start: number;
  readonly end: number;
}

function changeMembers(text: string, node: YAMLMap | YAMLSeq, { change, style, document }: MemberChange): Edited {
  const places = node.items.map((item, index) => ({
    key: isMap(node) ? keyOf(item as Pair) : index,
    lines: linesOf(text, node, index),
  }));
  if (places.some(({ lines }) => lines === undefined)) return refused("has servers that share a line");
  const known = places.map(({ key, lines }) => ({ key, lines: lines ?? { start: 0, end: 0 } }));
  const removed = known.filter(({ key }) => change.remove.includes(key));
  const [first] = known;
  const last = known.at(-1);
  if (first === undefined || last === undefined) return refused("has no servers");
  const added = membersText(change, indentAt(text, first.lines.start), style);
  const splices = removed.map(
    ({ lines }, index): Splice => ({ ...lines, text: index === 0 ? closed(text, lines, added, style) : "" }),
  );
  if (removed.length === 0 && added !== "") {
    const { end } = last.lines;
    const gap = text.slice(0, end).endsWith("\n") ? "" : style.lineBreak;
    splices.push({ start: end, end, text: `${gap}${added}` });
  }
  if (removed.length === known.length && added === "") {
    const colon = colonOf(document, change);
    if (colon === undefined) return refused("has servers that cannot be taken out");
    splices.push({ start: colon, end: colon, text: change.kind === "map" ? " {}" : " []" });
  }
  return edited(splice(text, splices));
}

/** A text that did not end with a line break still does not. */
function closed(text: string, { end }: Lines, added: string, { lineBreak }: TextStyle): string {
  const isLast = end === text.length && !text.endsWith("\n");
  return isLast && added.endsWith(lineBreak) ? added.slice(0, -lineBreak.length) : added;
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : "";
}

/** The lines that a member takes; undefined where something else stands in them as well. */
function linesOf(text: string, node: YAMLMap | YAMLSeq, index: number): Lines | undefined {
  const token = node.srcToken;
  const item: unknown = node.items[index];
  const indicator =
    token?.type === "block-seq" ? token.items[index]?.start.find(({ type }) => type === "seq-item-ind") : undefined;
  const key = isMap(node) ? (item as Pair).key : undefined;
  const offset = indicator?.offset ?? (isNode(key) ? key.range?.[0] : undefined);
  if (offset === undefined) return undefined;
  const start = lineStart(text, offset);
  if (text.slice(start, offset).trim() !== "") return undefined;
  const end = contentEnd(isMap(node) ? (item as Pair).value : item) ?? (isNode(key) ? key.range?.[1] : undefined);
  return { start, end: nextLine(text, Math.max(offset, (end ?? offset) - 1)) };
}

/** Where the last of what a value says ends. The parser's own end of a collection takes in comments after it. */
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

/** Where the colon ends after the key of the container. */
function colonOf(document: Document, { container }: Change): number | undefined {
  const holder = document.getIn(container.slice(0, -1), true);
  if (!isMap(holder)) return undefined;
  const index = holder.items.findIndex((pair) => keyOf(pair) === container.at(-1));
  const token = holder.srcToken;
  if (token?.type !== "block-map") return undefined;
  const colon = token.items[index]?.sep?.find(({ type }) => type === "map-value-ind");
  return colon === undefined ? undefined : colon.offset + 1;
}

/** A container that is not there, or has nothing in it: its members go below its key. */
function addContainer(text: string, document: Document, parts: Omit<MemberChange, "document">): Edited {
  const { change, style } = parts;
  if (change.add.length === 0) return edited(text);
  const [key, ...deeper] = change.container;
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
  if (root !== null && (!isMap(root) || root.flow === true))
    return refused("is not a map of keys on lines of their own");
  const gap = text === "" || text.endsWith("\n") ? "" : style.lineBreak;
  return edited(`${text}${gap}${JSON.stringify(key).replace(/^"([A-Za-z_]\w*)"$/, "$1")}:${style.lineBreak}${added}`);
}

/** A container two levels down, below a map that has other members or is not there. */
function addDeeper(text: string, document: Document, { change, style }: Omit<MemberChange, "document">): Edited {
  const [key, inner, ...deeper] = change.container;
  if (typeof key !== "string" || typeof inner !== "string" || deeper.length > 0) {
    return refused("has no place for servers");
  }
  const content =
    change.kind === "list"
      ? change.add.map(({ value }) => value)
      : Object.fromEntries(change.add.map((member) => [member.key, member.value]));
  const outer: Change = { container: [key], kind: "map", remove: [], add: [{ key: inner, value: content }] };
  const node = document.getIn([key], true);
  if (isMap(node) && node.items.length > 0) {
    if (node.flow === true) return refused("has braces on one line, where lines of their own are expected");
    const index = node.items.findIndex((pair) => keyOf(pair) === inner);
    const remove = index === -1 ? [] : [inner];
    return changeMembers(text, node, { change: { ...outer, remove }, style, document });
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

/** The whole document as data; undefined when it is not valid, or its aliases multiply. */
export function readYaml(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: (parse(text, { merge: true, logLevel: "error" }) as unknown) ?? {} };
  } catch (error) {
    if (error instanceof YAMLParseError || error instanceof ReferenceError) return undefined;
    throw error;
  }
}
