import type { Reply, Request } from "./operations.js";
import type { Session } from "./session.js";

/** A way to the database: what is sent in one go is run in one go. */
export interface Lane {
  send(request: Request): Promise<Reply>;
  close(): Promise<void>;
}

/** Runs in the calling thread. */
export function createInlineLane(session: Session): Lane {
  let waiting: { request: Request; resolve: (reply: Reply) => void }[] = [];

  const flush = (): void => {
    const batch = waiting;
    waiting = [];
    const replies = session.run(batch.map(({ request }) => request));
    for (const [index, { resolve }] of batch.entries()) resolve(replies[index] as Reply);
  };

  return {
    send: (request) =>
      new Promise((resolve) => {
        if (waiting.push({ request, resolve }) === 1) queueMicrotask(flush);
      }),
    async close() {
      if (waiting.length > 0) flush();
      session.close();
    },
  };
}
