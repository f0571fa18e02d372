import { randomBytes } from "node:crypto";

/** Whole results that were too large for an answer, readable in pages for a while by the actor whose calls they are of. */
export interface KeptResults {
  keep(result: unknown, actorId: string): KeptResult;
  /** Page `page`, counted from 1; undefined when the result or the page is not there (any more), or another's. */
  page(id: string, page: number, actorId: string): string | undefined;
}

export interface KeptResult {
  readonly id: string;
  readonly pages: number;
  readonly characters: number;
}

const PAGE_CHARACTERS = 65_536;
const MAX_CHARACTERS = 64 * 1024 * 1024;

export function createKeptResults(keepMs: number, now: () => number): KeptResults {
  const kept = new Map<string, { text: KeptText; until: number; actorId: string }>();

  const forget = (room: number): void => {
    let total = room;
    for (const { text } of kept.values()) total += text.characters;
    for (const [id, { text, until }] of kept) {
      if (until > now() && total <= MAX_CHARACTERS) continue;
      kept.delete(id);
      total -= text.characters;
    }
  };

  return {
    keep(result, actorId) {
      const text = JSON.stringify(result);
      const { length: characters } = text;
      forget(characters);
      const id = randomBytes(9).toString("base64url");
      kept.set(id, { text: keepText(text), until: now() + keepMs, actorId });
      // Nobody may ever ask again, and what is kept can be large.
      setTimeout(() => kept.delete(id), keepMs).unref();
      return { id, pages: Math.ceil(characters / PAGE_CHARACTERS), characters };
    },
    page(id, page, actorId) {
      forget(0);
      const found = kept.get(id);
      const text = found?.actorId === actorId ? found.text : undefined;
      const from = (page - 1) * PAGE_CHARACTERS;
      const isThere = text !== undefined && Number.isInteger(page) && page >= 1 && from < text.characters;
      return isThere ? text.slice(from, from + PAGE_CHARACTERS) : undefined;
    },
  };
}

interface KeptText {
  readonly characters: number;
  slice(from: number, to: number): string;
}

/** Outside the heap, which grows to several times of what it holds before garbage is collected. Bit by bit the same text. */
function keepText(text: string): KeptText {
  const isAscii = Buffer.byteLength(text, "utf8") === text.length;
  const [encoding, width] = isAscii ? (["latin1", 1] as const) : (["utf16le", 2] as const);
  const bytes = Buffer.from(text, encoding);
  return {
    characters: text.length,
    slice: (from, to) => bytes.toString(encoding, from * width, Math.min(to * width, bytes.length)),
  };
}
