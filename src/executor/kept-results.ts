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
  const kept = new Map<string, { text: string; until: number; actorId: string }>();

  const forget = (room: number): void => {
    let total = room;
    for (const { text } of kept.values()) total += text.length;
    for (const [id, { text, until }] of kept) {
      if (until > now() && total <= MAX_CHARACTERS) continue;
      kept.delete(id);
      total -= text.length;
    }
  };

  return {
    keep(result, actorId) {
      const text = JSON.stringify(result);
      forget(text.length);
      const id = randomBytes(9).toString("base64url");
      kept.set(id, { text, until: now() + keepMs, actorId });
      return { id, pages: Math.ceil(text.length / PAGE_CHARACTERS), characters: text.length };
    },
    page(id, page, actorId) {
      forget(0);
      const found = kept.get(id);
      const text = found?.actorId === actorId ? found.text : undefined;
      const from = (page - 1) * PAGE_CHARACTERS;
      const isThere = text !== undefined && Number.isInteger(page) && page >= 1 && from < text.length;
      return isThere ? text.slice(from, from + PAGE_CHARACTERS) : undefined;
    },
  };
}
