import type { Path, Position } from "./problem.js";

/**
 * The syntax tree of a parser before validation. Members and items are produced on demand, so that aliases that
 * multiply each other are expanded only up to the limits.
 */
export type SyntaxNode =
  | { readonly kind: "map"; readonly offset?: number; readonly members: () => Iterable<SyntaxMember> }
  | { readonly kind: "list"; readonly offset?: number; readonly items: () => Iterable<SyntaxNode> }
  | { readonly kind: "scalar"; readonly offset?: number; readonly value: unknown }
  | { readonly kind: "fault"; readonly offset?: number; readonly reason: string };

export interface SyntaxMember {
  readonly key: string;
  readonly offset?: number;
  readonly value: SyntaxNode;
}

export interface DocumentFault {
  readonly path: Path;
  readonly position?: Position;
  readonly reason: string;
}

/** Plain data, validated for safe use, with the source position of each value. */
export interface Document {
  readonly value: unknown;
  /** Returns the position of the value at this path, or of its closest parent with a known position. */
  positionOf(path: Path): Position | undefined;
}

export type Parsed =
  | { readonly kind: "document"; readonly document: Document }
  | { readonly kind: "faults"; readonly faults: readonly DocumentFault[] };

export const MAX_DOCUMENT_DEPTH = 64;
export const MAX_DOCUMENT_VALUES = 100_000;
const MAX_FAULTS = 20;
const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);

export const TOO_MANY_VALUES = `has more than ${MAX_DOCUMENT_VALUES} values`;
export const TOO_DEEP = `is nested more than ${MAX_DOCUMENT_DEPTH} levels deep`;

/** Builds plain data from a syntax tree. Checks keys and limits, and keeps the position of every value. */
export function buildDocument(root: SyntaxNode, positionAt: (offset: number) => Position): Parsed {
  const faults: DocumentFault[] = [];
  const offsets = new Map<object, Map<string | number, number>>();
  let nodes = 0;
  let stopped = false;

  function fault(path: Path, reason: string, offset: number | undefined): void {
    if (faults.length >= MAX_FAULTS) return;
    faults.push({ path, reason, ...(offset === undefined ? {} : { position: positionAt(offset) }) });
  }

  function stop(node: SyntaxNode, path: Path, reason: string): void {
    fault(path, reason, node.offset);
    stopped = true;
  }

  function build(node: SyntaxNode, trail: Trail | undefined): unknown {
    nodes += 1;
    if (nodes > MAX_DOCUMENT_VALUES) return stop(node, [], TOO_MANY_VALUES);
    if (trail !== undefined && trail.depth > MAX_DOCUMENT_DEPTH) return stop(node, pathOf(trail).slice(0, 3), TOO_DEEP);
    if (node.kind === "scalar") return node.value;
    if (node.kind === "fault") return fault(pathOf(trail), node.reason, node.offset);
    return node.kind === "list" ? buildList(node.items(), trail) : buildMap(node.members(), trail);
  }

  function buildList(items: Iterable<SyntaxNode>, trail: Trail | undefined): unknown[] {
    const list: unknown[] = [];
    const itemOffsets = new Map<string | number, number>();
    for (const item of items) {
      if (item.offset !== undefined) itemOffsets.set(list.length, item.offset);
      list.push(build(item, step(trail, list.length)));
      if (stopped) break;
    }
    offsets.set(list, itemOffsets);
    return list;
  }

  function buildMap(members: Iterable<SyntaxMember>, trail: Trail | undefined): Record<string, unknown> {
    const map: Record<string, unknown> = {};
    const memberOffsets = new Map<string | number, number>();
    for (const { key, offset, value } of members) {
      const here = step(trail, key);
      if (FORBIDDEN_KEYS.has(key)) fault(pathOf(here), "is not allowed as a key", offset);
      else if (Object.hasOwn(map, key)) fault(pathOf(here), "is written twice", offset);
      else map[key] = build(value, here);
      if (offset !== undefined) memberOffsets.set(key, offset);
      if (stopped) break;
    }
    offsets.set(map, memberOffsets);
    return map;
  }

  const value = build(root, undefined);
  if (faults.length > 0) return { kind: "faults", faults };

  function positionOf(path: Path): Position | undefined {
    let here: unknown = value;
    let offset = root.offset;
    for (const segment of path) {
      if (typeof here !== "object" || here === null) break;
      const next = offsets.get(here)?.get(segment);
      if (next === undefined) break;
      offset = next;
      here = (here as Record<string | number, unknown>)[segment];
    }
    return offset === undefined ? undefined : positionAt(offset);
  }

  return { kind: "document", document: { value, positionOf } };
}

/**
 * The path to a node as a linked list. It is converted to an array only if the node has a validation error, which is
 * rare.
 */
interface Trail {
  readonly segment: string | number;
  readonly depth: number;
  readonly parent: Trail | undefined;
}

function step(parent: Trail | undefined, segment: string | number): Trail {
  return { segment, depth: (parent?.depth ?? 0) + 1, parent };
}

function pathOf(trail: Trail | undefined): Path {
  const path: (string | number)[] = [];
  for (let here = trail; here !== undefined; here = here.parent) path.unshift(here.segment);
  return path;
}

/** Keeps the first validation error of each line: one mistake often causes several parser errors on the same line. */
export function firstOfEachLine(faults: readonly DocumentFault[]): DocumentFault[] {
  const seen = new Set<number | undefined>();
  return faults.filter(({ position }) => !seen.has(position?.line) && seen.add(position?.line)).slice(0, MAX_FAULTS);
}

/** Returns a function that converts an offset to line and column, both counted from 1. */
export function positionsIn(text: string): (offset: number) => Position {
  let starts: number[] | undefined;
  return (offset) => {
    starts ??= lineStarts(text);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\r|\n/g)) starts.push(match.index + match[0].length);
  return starts;
}
