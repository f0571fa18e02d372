import type { Reply, Request } from "./operations.js";
import type { DatabaseSession } from "./session.js";

/** Sends requests to the database. Requests that are sent in the same tick run in one transaction. */
export interface DatabaseChannel {
  send(request: Request): Promise<Reply>;
  close(): Promise<void>;
}

/** Runs the requests in the calling thread. */
export function createInlineChannel(session: DatabaseSession): DatabaseChannel {
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
