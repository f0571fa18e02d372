// Keeps a stream for change notifications open to a server of MCP 2026-07-28 or later, until the stream is no longer
// needed. Notifications on the stream are handled like all others.
import type { Client } from "@modelcontextprotocol/client";

export type Filter = Parameters<Client["listen"]>[0];

export interface Listening {
  /**
   * The notifications that the server agreed to send. Rejects if the first stream could not be opened; no further
   * attempt is then made.
   */
  readonly honored: Promise<Filter>;
  end(): void;
}

const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 60_000;

/**
 * Opens the stream and reopens it after every interruption. Then calls `onMissed`, because changes during the
 * interruption are unknown.
 */
export function keepListening(client: Client, filter: Filter, onMissed: () => void): Listening {
  let pauseMs = MIN_PAUSE_MS;
  let timer: NodeJS.Timeout | undefined;
  let close: () => void = () => undefined;
  let isOver = false;

  async function open(): Promise<Filter> {
    const stream = await client.listen(filter);
    close = () => void stream.close().catch(() => undefined);
    if (isOver) close();
    void stream.closed.then(openLater);
    // The pause before reopening grows while the server ends each stream immediately. It is reset when a stream lasts
    // for a minute.
    later(MAX_PAUSE_MS, () => (pauseMs = MIN_PAUSE_MS));
    return stream.honoredFilter;
  }

  function openLater(): void {
    if (isOver || client.transport === undefined) return;
    later(pauseMs, () => void open().then(onMissed, openLater));
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
  }

  function later(delayMs: number, run: () => void): void {
    clearTimeout(timer);
    timer = setTimeout(run, delayMs).unref();
  }

  return {
    honored: open(),
    end() {
      isOver = true;
      clearTimeout(timer);
      close();
    },
  };
}
