// The store's worker thread: it runs all waiting requests in one transaction and sends the replies.
import { parentPort, workerData } from "node:worker_threads";
import type { Request } from "./operations.js";
import { createDatabaseSession } from "./session.js";
import type { FromThread, ToThread } from "./thread-channel.js";

const session = createDatabaseSession((workerData as { file: string }).file);
let waiting: Request[] = [];

function flush(): void {
  const requests = waiting;
  waiting = [];
  if (requests.length > 0) parentPort?.postMessage(session.run(requests) satisfies FromThread);
}

parentPort?.on("message", (message: ToThread) => {
  if (message.kind === "run") {
    // Wait one turn of the event loop, so that requests that have already arrived are added to the same transaction.
    if (waiting.length === 0) setImmediate(flush);
    waiting.push(...message.requests);
    return;
  }
  flush();
  session.close();
  parentPort?.close();
});
