import { randomBytes } from "node:crypto";

/** Full results of calls whose result was truncated. The actor of the call can read them in pages until they expire. */
export interface StoredResults {
  store(result: unknown, actorId: string): StoredResult;
  /**
   * Returns a page, counted from 1. Undefined if the result or page does not exist, has expired or belongs to another
   * actor.
   */
  page(id: string, page: number, actorId: string): string | undefined;
}

export interface StoredResult {
  readonly id: string;
  readonly pages: number;
  readonly characters: number;
}

const PAGE_CHARACTERS = 65_536;
const MAX_CHARACTERS = 64 * 1024 * 1024;

export function createStoredResults(keepMs: number, now: () => number): StoredResults {
  const stored = new Map<string, { text: StoredText; until: number; actorId: string }>();

  const evict = (room: number): void => {
    let total = room;
    for (const { text } of stored.values()) total += text.characters;
    for (const [id, { text, until }] of stored) {
      if (until > now() && total <= MAX_CHARACTERS) continue;
      stored.delete(id);
      total -= text.characters;
    }
  };

  return {
    store(result, actorId) {
      const text = JSON.stringify(result);
      const { length: characters } = text;
      evict(characters);
      const id = randomBytes(9).toString("base64url");
      stored.set(id, { text: storeText(text), until: now() + keepMs, actorId });
      // Results can be large, so delete them on time even if no later call evicts them.
      setTimeout(() => stored.delete(id), keepMs).unref();
      return { id, pages: Math.ceil(characters / PAGE_CHARACTERS), characters };
    },
    page(id, page, actorId) {
      evict(0);
      const found = stored.get(id);
      const text = found?.actorId === actorId ? found.text : undefined;
      const from = (page - 1) * PAGE_CHARACTERS;
      const exists = text !== undefined && Number.isInteger(page) && page >= 1 && from < text.characters;
      return exists ? text.slice(from, from + PAGE_CHARACTERS) : undefined;
    },
  };
}

interface StoredText {
  readonly characters: number;
  slice(from: number, to: number): string;
}

/**
 * Stores the text losslessly in a Buffer, outside the V8 heap, which would grow to several times the size of large
 * strings.
 */
function storeText(text: string): StoredText {
  const isAscii = Buffer.byteLength(text, "utf8") === text.length;
  const [encoding, width] = isAscii ? (["latin1", 1] as const) : (["utf16le", 2] as const);
  const bytes = Buffer.from(text, encoding);
  return {
    characters: text.length,
    slice: (from, to) => bytes.toString(encoding, from * width, Math.min(to * width, bytes.length)),
  };
}
