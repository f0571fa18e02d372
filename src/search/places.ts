import type { Block } from "./block.js";
import { TOOL_PIECES } from "./meaning/closeness.js";
import { createNearestNames } from "./nearest.js";
import type { DocumentWords } from "./rerank.js";

/** From a document's number, counted through all blocks, to what its block knows of it. */
export interface Places {
  readonly size: number;
  idOf(document: number): string;
  serverOf(document: number): string;
  isDeprecated(document: number): boolean;
  wordsOf(document: number): DocumentWords;
  /** What is kept for a close look; nothing where no model read it. */
  piecesOf(document: number): Uint16Array;
  /** Documents that have a name or id with this key. */
  named(key: string): number[];
  /** All servers, the largest first, and their documents. */
  servers(): ReadonlyMap<string, readonly number[]>;
  /** Servers whose name looks like this one. */
  nearestServers(name: string): readonly string[];
}

export function createPlaces(blocks: readonly Block[], size: number): Places {
  const blockOf = new Uint32Array(size);
  const firsts = new Uint32Array(blocks.length);
  let first = 0;
  for (const [number, { ids }] of blocks.entries()) {
    firsts[number] = first;
    blockOf.fill(number, first, first + ids.length);
    first += ids.length;
  }
  const longest = blocks.reduce((most, { longestKey }) => Math.max(most, longestKey), 0);
  const find = (document: number): { block: Block | undefined; at: number } => {
    const number = blockOf[document] ?? 0;
    return { block: blocks[number], at: document - (firsts[number] ?? 0) };
  };
  let homes: ReadonlyMap<string, number> | undefined;
  let servers: ReadonlyMap<string, readonly number[]> | undefined;
  const listServers = (): ReadonlyMap<string, readonly number[]> => (servers ??= groupByServer(blocks));
  let nearest: ((name: string, max?: number) => string[]) | undefined;
  return {
    size,
    servers: listServers,
    nearestServers(name) {
      nearest ??= createNearestNames(listServers().keys());
      // More than are told: some may not be for this caller.
      return nearest(name, MOST_NEAR_SERVERS);
    },
    idOf(document) {
      const { block, at } = find(document);
      return block?.ids[at] ?? "";
    },
    serverOf(document) {
      const { block, at } = find(document);
      return block?.servers[at] ?? "";
    },
    isDeprecated(document) {
      const { block, at } = find(document);
      return block?.deprecated[at] === 1;
    },
    wordsOf(document) {
      const { block, at } = find(document);
      const start = at === 0 ? 0 : block?.ends[at - 1];
      const end = block?.ends[at];
      return {
        words: block?.words.subarray(start, end) ?? new Uint32Array(),
        frequencies: block?.frequencies.subarray(start, end) ?? new Uint16Array(),
      };
    },
    piecesOf(document) {
      const { block, at } = find(document);
      return block?.meanings?.pieces.subarray(at * TOOL_PIECES, (at + 1) * TOOL_PIECES) ?? new Uint16Array();
    },
    named(key) {
      if (key.length > longest) return [];
      homes ??= findHomes(blocks);
      const home = homes.get(key);
      if (home === undefined) return [];
      const found: number[] = [];
      for (const number of home === SEVERAL ? blocks.keys() : [home]) {
        for (const at of blocks[number]?.named.get(key) ?? []) found.push(at + (firsts[number] ?? 0));
      }
      return found;
    },
  };
}

function groupByServer(blocks: readonly Block[]): ReadonlyMap<string, readonly number[]> {
  const documents = new Map<string, number[]>();
  let document = 0;
  for (const server of blocks.flatMap((block) => block.servers)) {
    const own = documents.get(server);
    if (own === undefined) documents.set(server, [document]);
    else own.push(document);
    document += 1;
  }
  return new Map([...documents].sort(([a, few], [b, many]) => many.length - few.length || (a < b ? -1 : 1)));
}

const MOST_NEAR_SERVERS = 20;
const SEVERAL = -1;

/** By the key of a name: the number of the block that has it. */
function findHomes(blocks: readonly Block[]): ReadonlyMap<string, number> {
  const homes = new Map<string, number>();
  for (const [number, { named }] of blocks.entries()) {
    for (const key of named.keys()) homes.set(key, homes.has(key) ? SEVERAL : number);
  }
  return homes;
}
