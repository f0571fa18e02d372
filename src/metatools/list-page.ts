import { invalidRequest } from "../util/invalid-request.js";
import { sha256 } from "../util/sha256.js";

/** One page of a list that an agent reads. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** The members that say that the list has other pages; empty if all items are on one page. */
  readonly members: { readonly total?: number; readonly next_cursor?: string };
}

export interface ListPageOptions<Item> {
  readonly cursor?: string | undefined;
  readonly limit: number;
  /** What the list depends on, such as the server and the query. A cursor of another list is rejected. */
  readonly list: readonly unknown[];
  readonly keyOf: (item: Item) => string;
}

/**
 * Returns the page at the cursor. A cursor contains the position of the page and a hash of the whole list: if the list
 * has changed in between, an agent would miss items, so the cursor is rejected.
 */
export function pageOf<Item>(all: readonly Item[], options: ListPageOptions<Item>): ListPage<Item> {
  const { cursor, limit, list, keyOf } = options;
  if (cursor === undefined && all.length <= limit) return { items: all, members: {} };
  const hash = sha256(JSON.stringify([list, all.map(keyOf)])).slice(0, HASH_LENGTH);
  const start = cursor === undefined ? 0 : startOf(cursor, hash, all.length);
  const end = start + limit;
  return {
    items: all.slice(start, end),
    members: { total: all.length, ...(end < all.length ? { next_cursor: toCursorText(end, hash) } : {}) },
  };
}

const HASH_LENGTH = 8;
const HINT = "Leave out the cursor to start at the first page, and repeat the other arguments on each page.";

function startOf(cursor: string, hash: string, length: number): number {
  const [, position, given] = /^(\d{1,6})-([0-9a-f]{8})$/u.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  const start = Number(position);
  if (given === undefined || toCursorText(start, given) !== cursor) {
    throw invalidRequest("The cursor was not issued by this gateway.", HINT);
  }
  if (given === hash && start < length) return start;
  throw invalidRequest("The cursor is out of date: the list has changed since, or the other arguments differ.", HINT);
}

function toCursorText(position: number, hash: string): string {
  return Buffer.from(`${position}-${hash}`).toString("base64url");
}
