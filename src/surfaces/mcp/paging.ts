import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../model/json.js";
import { sha256 } from "../../util/sha256.js";

/** The maximum number of items on a page. Pages are large because many clients only read the first page. */
const MAX_ITEMS = 1_000;
const MAX_CHARACTERS = 4_000_000;
const HASH_LENGTH = 16;

export interface PageLimits {
  readonly items: number;
  readonly characters: number;
}

export interface Page {
  readonly items: readonly JsonObject[];
  readonly nextCursor?: string;
}

/**
 * Returns one page of a list. A cursor contains the position after the last item on the page, and a hash of that item's
 * `key` member. If the list changes, the next page starts after the item with this hash, or at the position if the item
 * was removed.
 */
export function toPage(
  items: readonly JsonObject[],
  key: string,
  { cursor, limits = { items: MAX_ITEMS, characters: MAX_CHARACTERS } }: { cursor: unknown; limits?: PageLimits },
): Page {
  const hashOf = (item: JsonObject | undefined): string => sha256(String(item?.[key])).slice(0, HASH_LENGTH);
  const start = cursor === undefined ? 0 : startAfter(items, hashOf, parseCursor(cursor));
  let size = 0;
  let end = start;
  while (end < items.length && end - start < limits.items) {
    size += JSON.stringify(items[end]).length;
    if (size > limits.characters && end > start) break;
    end += 1;
  }
  const page = items.slice(start, end);
  return end < items.length ? { items: page, nextCursor: toCursor(end, hashOf(items[end - 1])) } : { items: page };
}

interface Cursor {
  readonly position: number;
  readonly hash: string;
}

function startAfter(items: readonly JsonObject[], hashOf: (item: JsonObject) => string, cursor: Cursor): number {
  const last = items[cursor.position - 1];
  if (last !== undefined && hashOf(last) === cursor.hash) return cursor.position;
  const moved = items.findIndex((item) => hashOf(item) === cursor.hash);
  return moved === -1 ? cursor.position : moved + 1;
}

function toCursor(position: number, hash: string): string {
  return Buffer.from(`${position} ${hash}`).toString("base64url");
}

function parseCursor(cursor: unknown): Cursor {
  const text = typeof cursor === "string" ? Buffer.from(cursor, "base64url").toString() : "";
  const [, position, hash] = /^(\d{1,9}) ([0-9a-f]{16})$/.exec(text) ?? [];
  if (position !== undefined && hash !== undefined) return { position: Number(position), hash };
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    "The cursor was not issued by this gateway. Request the first page without a cursor, and continue from there.",
  );
}
