// What a server has beside tools, as lists: read to the last page when somebody wants them, remembered until they are old
// or the server says that they have changed.
import { DiscoveryError } from "../errors.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import type { ServerCapabilities } from "../model/server.js";
import { isWithinDepth } from "../util/depth.js";
import type { Relay } from "./relay.js";
import type { OfferKind, UpstreamRequest } from "./types.js";

interface OfferList {
  readonly method: string;
  /** Of the result: the items. */
  readonly member: string;
  /** Of an item: what tells it from others. */
  readonly key: string;
  readonly capability: keyof ServerCapabilities;
}

const LISTS: Readonly<Record<OfferKind, OfferList>> = {
  prompts: { method: "prompts/list", member: "prompts", key: "name", capability: "prompts" },
  resources: { method: "resources/list", member: "resources", key: "uri", capability: "resources" },
  templates: {
    method: "resources/templates/list",
    member: "resourceTemplates",
    key: "uriTemplate",
    capability: "resources",
  },
};

const MOST_PAGES = 100;
const MOST_ITEMS = 10_000;
const MOST_CHARACTERS = 8_000_000;
const DEEPEST = 64;
const METHOD_NOT_FOUND = -32_601;

export interface OffersParts {
  readonly now: () => number;
  readonly timeoutMs: () => number;
}

export interface Offers {
  /** What is known of it; undefined when it was never asked for. */
  known(kind: OfferKind): readonly JsonObject[] | undefined;
  isFresh(kind: OfferKind, freshMs: number): boolean;
  /** Whoever asks meanwhile shares the answer. `use` lends a connection for the time of the reading. */
  read(kind: OfferKind, use: UseRelay): Promise<readonly JsonObject[]>;
  forget(kinds: readonly OfferKind[]): void;
}

export type UseRelay = <Result>(work: (relay: Relay | undefined) => Promise<Result>) => Promise<Result>;

export function createOffers({ now, timeoutMs }: OffersParts): Offers {
  const known = new Map<OfferKind, { readonly items: readonly JsonObject[]; readonly at: number }>();
  const old = new Set<OfferKind>();
  const reading = new Map<OfferKind, Promise<readonly JsonObject[]>>();

  /** Of two readings the later one counts. */
  async function readAll(kind: OfferKind, use: UseRelay, isLatest: () => boolean): Promise<readonly JsonObject[]> {
    old.delete(kind);
    const items = await use((relay) => readItems(LISTS[kind], relay, timeoutMs()));
    if (isLatest()) known.set(kind, { items, at: now() });
    return items;
  }

  return {
    known: (kind) => known.get(kind)?.items,
    isFresh(kind, freshMs) {
      const at = known.get(kind)?.at;
      return at !== undefined && !old.has(kind) && now() - at < freshMs;
    },
    read(kind, use) {
      const already = reading.get(kind);
      // What is being read may have been read before it changed.
      if (already !== undefined && !old.has(kind)) return already;
      const isLatest = (): boolean => reading.get(kind) === mine;
      const mine: Promise<readonly JsonObject[]> = readAll(kind, use, isLatest).finally(() => {
        if (isLatest()) reading.delete(kind);
      });
      reading.set(kind, mine);
      return mine;
    },
    forget(kinds) {
      for (const kind of kinds) old.add(kind);
    },
  };
}

async function readItems(list: OfferList, relay: Relay | undefined, timeoutMs: number): Promise<readonly JsonObject[]> {
  if (relay?.capabilities[list.capability] !== true) return [];
  const items = new Map<string, JsonObject>();
  const seen = new Set<string>();
  let cursor: string | undefined;
  let characters = 0;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const params: JsonObject = cursor === undefined ? {} : { cursor };
    const page = await readPage(list, relay, { method: list.method, params, timeoutMs, isShared: true });
    for (const item of page.items) {
      const key = keyOf(item, list);
      if (key === undefined || items.has(key)) continue;
      characters += JSON.stringify(item).length;
      if (items.size === MOST_ITEMS || characters > MOST_CHARACTERS) return [...items.values()];
      items.set(key, item as JsonObject);
    }
    cursor = page.next;
    if (cursor === undefined || seen.has(cursor)) break;
    seen.add(cursor);
  }
  return [...items.values()];
}

interface Page {
  readonly items: readonly unknown[];
  readonly next: string | undefined;
}

async function readPage(list: OfferList, relay: Relay, request: UpstreamRequest): Promise<Page> {
  const answer = await relay.request(request);
  if (answer.kind === "error") {
    // A server may have resources and no templates.
    if (answer.code === METHOD_NOT_FOUND) return { items: [], next: undefined };
    throw new DiscoveryError("SERVER_CONNECTION_ERROR", `The server did not answer ${list.method}.`, {
      hint: "The server has a defect, or it is not ready yet; ask again later.",
      facts: { jsonRpcCode: answer.code },
    });
  }
  const { [list.member]: items, nextCursor } = answer.result;
  // Some servers end with an empty cursor instead of none.
  const next = typeof nextCursor === "string" && nextCursor !== "" ? nextCursor : undefined;
  return { items: Array.isArray(items) ? items : [], next };
}

/** What cannot be told from others, or nobody can read, is left out. */
function keyOf(item: unknown, { key }: OfferList): string | undefined {
  if (!isJsonObject(item) || !isWithinDepth(item, DEEPEST)) return undefined;
  const value = item[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}
