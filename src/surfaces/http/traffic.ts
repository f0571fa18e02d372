import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

/** The requests under way. */
export interface Traffic {
  counted(listener: (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>): RequestListener;
  /** Aborts when the caller is gone, or with `endAll`. */
  signalOf(outgoing: ServerResponse): AbortSignal;
  /** Aborts when the caller is gone. */
  goneOf(outgoing: ServerResponse): AbortSignal;
  /** Resolves when none is under way. */
  ended(): Promise<void>;
  endAll(): void;
}

export function createTraffic(): Traffic {
  const open = new Map<ServerResponse, { readonly ended: AbortController; readonly gone: AbortController }>();
  const waiting: (() => void)[] = [];

  const enter = (outgoing: ServerResponse): void => {
    const ended = new AbortController();
    const gone = new AbortController();
    open.set(outgoing, { ended, gone });
    outgoing.once("close", () => {
      open.delete(outgoing);
      if (!outgoing.writableFinished) {
        gone.abort();
        ended.abort();
      }
      if (open.size === 0) for (const wake of waiting.splice(0)) wake();
    });
  };

  return {
    counted: (listener) => (incoming, outgoing) => {
      enter(outgoing);
      void listener(incoming, outgoing);
    },
    // Whoever asks after the end is told that it is over.
    signalOf: (outgoing) => open.get(outgoing)?.ended.signal ?? AbortSignal.abort(),
    goneOf: (outgoing) => open.get(outgoing)?.gone.signal ?? AbortSignal.abort(),
    ended: () => new Promise((resolve) => (open.size === 0 ? resolve() : waiting.push(resolve))),
    endAll() {
      for (const { ended } of open.values()) ended.abort();
    },
  };
}
