import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

/** Keeps track of the HTTP requests in progress. */
export interface Traffic {
  counted(listener: (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>): RequestListener;
  /** Returns a signal that aborts when the caller disconnects or `endAll` is called. */
  signalOf(outgoing: ServerResponse): AbortSignal;
  /** Returns a signal that aborts only when the caller disconnects. */
  disconnectSignalOf(outgoing: ServerResponse): AbortSignal;
  /** Resolves when no request is in progress. */
  ended(): Promise<void>;
  endAll(): void;
}

export function createTraffic(): Traffic {
  const open = new Map<ServerResponse, { readonly ended: AbortController; readonly disconnected: AbortController }>();
  const waiting: (() => void)[] = [];

  const enter = (outgoing: ServerResponse): void => {
    const ended = new AbortController();
    const disconnected = new AbortController();
    open.set(outgoing, { ended, disconnected });
    outgoing.once("close", () => {
      open.delete(outgoing);
      if (!outgoing.writableFinished) {
        disconnected.abort();
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
    disconnectSignalOf: (outgoing) => open.get(outgoing)?.disconnected.signal ?? AbortSignal.abort(),
    ended: () => new Promise((resolve) => (open.size === 0 ? resolve() : waiting.push(resolve))),
    endAll() {
      for (const { ended } of open.values()) ended.abort();
    },
  };
}
