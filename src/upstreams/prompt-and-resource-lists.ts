// Lists of a server's prompts, resources and templates: read to the last page on demand, and cached until they expire
// or the server announces a change.
import { DiscoveryError } from "../errors.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import type { ServerCapabilities } from "../model/server.js";
import { RETRY_AFTER_SECONDS } from "../model/start.js";
import { isWithinDepth } from "../util/depth.js";
import type { Relay } from "./relay.js";
import type { OfferKind, UpstreamRequest } from "./types.js";

interface OfferList {
  readonly method: string;
  /** The member of the list result that contains the items. */
  readonly member: string;
  /** The member of an item that identifies it. */
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

const MAX_PAGES = 100;
const MAX_ITEMS = 10_000;
const MAX_CHARACTERS = 8_000_000;
const MAX_DEPTH = 64;
const METHOD_NOT_FOUND = -32_601;

export interface OffersParts {
  readonly now: () => number;
  readonly timeoutMs: () => number;
}

export interface Offers {
  /** The cached list. Undefined if it was never read. */
  known(kind: OfferKind): readonly JsonObject[] | undefined;
  isFresh(kind: OfferKind, freshMs: number): boolean;
  /** Reads the complete list from the server. Concurrent callers share one read. `use` provides a connection. */
  read(kind: OfferKind, use: UseRelay): Promise<readonly JsonObject[]>;
  forget(kinds: readonly OfferKind[]): void;
}

export type UseRelay = <Result>(work: (relay: Relay | undefined) => Promise<Result>) => Promise<Result>;

export function createOffers({ now, timeoutMs }: OffersParts): Offers {
  const known = new Map<OfferKind, { readonly items: readonly JsonObject[]; readonly at: number }>();
  const outdated = new Set<OfferKind>();
  const reading = new Map<OfferKind, Promise<readonly JsonObject[]>>();

  /** If reads overlap, the result of the latest one is cached. */
  async function readAll(kind: OfferKind, use: UseRelay, isLatest: () => boolean): Promise<readonly JsonObject[]> {
    outdated.delete(kind);
    const items = await use((relay) => readItems(LISTS[kind], relay, timeoutMs()));
    if (isLatest()) known.set(kind, { items, at: now() });
    return items;
  }

  return {
    known: (kind) => known.get(kind)?.items,
    isFresh(kind, freshMs) {
      const at = known.get(kind)?.at;
      return at !== undefined && !outdated.has(kind) && now() - at < freshMs;
    },
    read(kind, use) {
      const already = reading.get(kind);
      // A read that began before the list changed is not shared, because it may return the old list.
      if (already !== undefined && !outdated.has(kind)) return already;
      const isLatest = (): boolean => reading.get(kind) === mine;
      const mine: Promise<readonly JsonObject[]> = readAll(kind, use, isLatest).finally(() => {
        if (isLatest()) reading.delete(kind);
      });
      reading.set(kind, mine);
      return mine;
    },
    forget(kinds) {
      for (const kind of kinds) outdated.add(kind);
    },
  };
}

async function readItems(list: OfferList, relay: Relay | undefined, timeoutMs: number): Promise<readonly JsonObject[]> {
  if (relay?.capabilities[list.capability] !== true) return [];
  const items = new Map<string, JsonObject>();
  const seen = new Set<string>();
  let cursor: string | undefined;
  let characters = 0;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const params: JsonObject = cursor === undefined ? {} : { cursor };
    const page = await readPage(list, relay, { method: list.method, params, timeoutMs, isShared: true });
    for (const item of page.items) {
      const key = keyOf(item, list);
      if (key === undefined || items.has(key)) continue;
      characters += JSON.stringify(item).length;
      if (items.size === MAX_ITEMS || characters > MAX_CHARACTERS) return [...items.values()];
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
    // A server may support resources but not resource templates.
    if (answer.code === METHOD_NOT_FOUND) return { items: [], next: undefined };
    throw new DiscoveryError("SERVER_CONNECTION_ERROR", `The server did not answer ${list.method}.`, {
      hint: ["The server has a defect or is not ready yet.", { action: "retry", afterSeconds: RETRY_AFTER_SECONDS }],
      facts: { jsonRpcCode: answer.code },
    });
  }
  const { [list.member]: items, nextCursor } = answer.result;
  // Some servers mark the last page with an empty cursor instead of none.
  const next = typeof nextCursor === "string" && nextCursor !== "" ? nextCursor : undefined;
  return { items: Array.isArray(items) ? items : [], next };
}

/**
 * The identifier of an item. Undefined for an item without an identifier or with too deep nesting, which is skipped.
 */
function keyOf(item: unknown, { key }: OfferList): string | undefined {
  if (!isJsonObject(item) || !isWithinDepth(item, MAX_DEPTH)) return undefined;
  const value = item[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}
