import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

/** The requests in progress. */
export interface Traffic {
  counted(listener: (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>): RequestListener;
  /** Aborts when the caller disconnects, or with `endAll`. */
  signalOf(outgoing: ServerResponse): AbortSignal;
  /** Aborts when the caller disconnects. */
  goneOf(outgoing: ServerResponse): AbortSignal;
  /** Resolves when no request is in progress. */
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
    // If the response has already ended, the signal is already aborted.
    signalOf: (outgoing) => open.get(outgoing)?.ended.signal ?? AbortSignal.abort(),
    goneOf: (outgoing) => open.get(outgoing)?.gone.signal ?? AbortSignal.abort(),
    ended: () => new Promise((resolve) => (open.size === 0 ? resolve() : waiting.push(resolve))),
    endAll() {
      for (const { ended } of open.values()) ended.abort();
    },
  };
}
