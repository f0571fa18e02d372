// A wish to hear of changes of a modern server comes in; a stream is kept open for it until nobody wants it any more. What
// comes on the stream goes the way of all notifications.
import type { Client } from "@modelcontextprotocol/client";

export type Filter = Parameters<Client["listen"]>[0];

export interface Listening {
  /** What the server has agreed to tell of. Rejects when the first stream could not be opened: then there is no other. */
  readonly honored: Promise<Filter>;
  end(): void;
}

const SHORTEST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;

/** `onMissed`: there was no stream for a while, and what changed meanwhile is not known. */
export function keepListening(client: Client, filter: Filter, onMissed: () => void): Listening {
  let pauseMs = SHORTEST_PAUSE_MS;
  let timer: NodeJS.Timeout | undefined;
  let close: () => void = () => undefined;
  let isOver = false;

  async function open(): Promise<Filter> {
    const stream = await client.listen(filter);
    close = () => void stream.close().catch(() => undefined);
    if (isOver) close();
    void stream.closed.then(openLater);
    // A server that ends every stream at once is asked ever more seldom, one that ends them after hours is not.
    later(LONGEST_PAUSE_MS, () => (pauseMs = SHORTEST_PAUSE_MS));
    return stream.honoredFilter;
  }

  function openLater(): void {
    if (isOver || client.transport === undefined) return;
    later(pauseMs, () => void open().then(onMissed, openLater));
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
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
