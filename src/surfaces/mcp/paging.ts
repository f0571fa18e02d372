import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../model/json.js";
import { sha256 } from "../../util/sha256.js";

/** Many clients read one page only: as much as a message can well hold. */
const MOST_ITEMS = 1_000;
const MOST_CHARACTERS = 4_000_000;
const HASH_LENGTH = 16;

export interface PageLimits {
  readonly items: number;
  readonly characters: number;
}

export interface Page {
  readonly items: readonly JsonObject[];
  readonly nextCursor?: string;
}

/** A cursor tells the last item that was read, by what `keyOf` names it, and where it stood if it is gone by now. */
export function toPage(
  items: readonly JsonObject[],
  key: string,
  { cursor, limits = { items: MOST_ITEMS, characters: MOST_CHARACTERS } }: { cursor: unknown; limits?: PageLimits },
): Page {
  const hashOf = (item: JsonObject | undefined): string => sha256(String(item?.[key])).slice(0, HASH_LENGTH);
  const start = cursor === undefined ? 0 : placeAfter(items, hashOf, parseCursor(cursor));
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

interface Mark {
  readonly place: number;
  readonly hash: string;
}

function placeAfter(items: readonly JsonObject[], hashOf: (item: JsonObject) => string, mark: Mark): number {
  const last = items[mark.place - 1];
  if (last !== undefined && hashOf(last) === mark.hash) return mark.place;
  const moved = items.findIndex((item) => hashOf(item) === mark.hash);
  return moved === -1 ? mark.place : moved + 1;
}

function toCursor(place: number, hash: string): string {
  return Buffer.from(`${place} ${hash}`).toString("base64url");
}

function parseCursor(cursor: unknown): Mark {
  const text = typeof cursor === "string" ? Buffer.from(cursor, "base64url").toString() : "";
  const [, place, hash] = /^(\d{1,9}) ([0-9a-f]{16})$/.exec(text) ?? [];
  if (place !== undefined && hash !== undefined) return { place: Number(place), hash };
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    "The cursor is none that this gateway gave out. Ask for the first page, without a cursor, and go on from there.",
  );
}
