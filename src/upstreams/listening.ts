// Keeps a stream for change notifications of a modern server open until it is no longer needed. The notifications on
// it are handled like all others.
import type { Client } from "@modelcontextprotocol/client";

export type Filter = Parameters<Client["listen"]>[0];

export interface Listening {
  /**
   * The notifications that the server agreed to send. Rejects if the first stream could not be opened; it is then not
   * opened again.
   */
  readonly honored: Promise<Filter>;
  end(): void;
}

const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 60_000;

/** `onMissed` is called after the stream was interrupted, because changes during that time are unknown. */
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
    // The pause grows while the server ends each stream immediately, and is reset when a stream lasts for a minute.
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
