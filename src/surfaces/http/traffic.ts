import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

/** The requests under way. */
export interface Traffic {
  counted(listener: (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>): RequestListener;
  /** Aborts when the caller is gone, or with `endAll`. */
  signalOf(outgoing: ServerResponse): AbortSignal;
  /** Resolves when none is under way. */
  ended(): Promise<void>;
  endAll(): void;
}

export function createTraffic(): Traffic {
  const open = new Map<ServerResponse, AbortController>();
  const waiting: (() => void)[] = [];

  const enter = (outgoing: ServerResponse): void => {
    const controller = new AbortController();
    open.set(outgoing, controller);
    outgoing.once("close", () => {
      open.delete(outgoing);
      if (!outgoing.writableFinished) controller.abort();
      if (open.size === 0) for (const wake of waiting.splice(0)) wake();
    });
  };

  return {
    counted: (listener) => (incoming, outgoing) => {
      enter(outgoing);
      void listener(incoming, outgoing);
    },
    // Whoever asks after the end is told that it is over.
    signalOf: (outgoing) => open.get(outgoing)?.signal ?? AbortSignal.abort(),
    ended: () => new Promise((resolve) => (open.size === 0 ? resolve() : waiting.push(resolve))),
    endAll() {
      for (const controller of open.values()) controller.abort();
    },
  };
}
