import type { Path, Position } from "./problem.js";

/**
 * What a parser found, before it is checked. Members and items are produced on demand, so that an alias which
 * multiplies itself is expanded only as far as the limits allow.
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

export interface Fault {
  readonly path: Path;
  readonly position?: Position;
  readonly reason: string;
}

/** Plain data that is safe to look into, and where each part of it was written. */
export interface Document {
  readonly value: unknown;
  /** The nearest known position: of the member itself, else of what should hold it. */
  positionOf(path: Path): Position | undefined;
}

export type Parsed =
  | { readonly kind: "document"; readonly document: Document }
  | { readonly kind: "faults"; readonly faults: readonly Fault[] };

export const DEEPEST = 64;
const MOST_NODES = 100_000;
const MOST_FAULTS = 20;
const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);

export const TOO_DEEP = `is nested more than ${DEEPEST} levels deep`;

/** Checks keys and limits and makes plain data; keeps where every member was written. */
export function buildDocument(root: SyntaxNode, positionAt: (offset: number) => Position): Parsed {
  const faults: Fault[] = [];
  const offsets = new Map<object, Map<string | number, number>>();
  let nodes = 0;
  let stopped = false;

  function fault(path: Path, reason: string, offset: number | undefined): void {
    if (faults.length >= MOST_FAULTS) return;
    faults.push({ path, reason, ...(offset === undefined ? {} : { position: positionAt(offset) }) });
  }

  function stop(node: SyntaxNode, path: Path, reason: string): void {
    fault(path, reason, node.offset);
    stopped = true;
  }

  function build(node: SyntaxNode, trail: Trail | undefined): unknown {
    nodes += 1;
    if (nodes > MOST_NODES) return stop(node, [], `holds more than ${MOST_NODES} values`);
    if (trail !== undefined && trail.depth > DEEPEST) return stop(node, pathOf(trail).slice(0, 3), TOO_DEEP);
    if (node.kind === "scalar") return node.value;
    if (node.kind === "fault") return fault(pathOf(trail), node.reason, node.offset);
    return node.kind === "list" ? buildList(node.items(), trail) : buildMap(node.members(), trail);
  }

  function buildList(items: Iterable<SyntaxNode>, trail: Trail | undefined): unknown[] {
    const list: unknown[] = [];
    const places = new Map<string | number, number>();
    for (const item of items) {
      if (item.offset !== undefined) places.set(list.length, item.offset);
      list.push(build(item, step(trail, list.length)));
      if (stopped) break;
    }
    offsets.set(list, places);
    return list;
  }

  function buildMap(members: Iterable<SyntaxMember>, trail: Trail | undefined): Record<string, unknown> {
    const map: Record<string, unknown> = {};
    const places = new Map<string | number, number>();
    for (const { key, offset, value } of members) {
      const here = step(trail, key);
      if (FORBIDDEN_KEYS.has(key)) fault(pathOf(here), "is not allowed as a key", offset);
      else if (Object.hasOwn(map, key)) fault(pathOf(here), "is written twice", offset);
      else map[key] = build(value, here);
      if (offset !== undefined) places.set(key, offset);
      if (stopped) break;
    }
    offsets.set(map, places);
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

/** The way down to a node; most nodes have no fault, so it becomes a path only on demand. */
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

/** One mistake makes a parser stumble several times on the same line; the first is the one to fix. */
export function firstOfEachLine(faults: readonly Fault[]): Fault[] {
  const seen = new Set<number | undefined>();
  return faults.filter(({ position }) => !seen.has(position?.line) && seen.add(position?.line)).slice(0, MOST_FAULTS);
}

/** Line and column, both from 1, of an offset in a text. */
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
