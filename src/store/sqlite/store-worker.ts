// The store's thread: requests come in and are run together, one transaction for all that wait; the replies go out.
import { parentPort, workerData } from "node:worker_threads";
import type { Request } from "./operations.js";
import { createSession } from "./session.js";
import type { FromThread, ToThread } from "./thread-lane.js";

const session = createSession((workerData as { file: string }).file);
let waiting: Request[] = [];

function flush(): void {
  const requests = waiting;
  waiting = [];
  if (requests.length > 0) parentPort?.postMessage(session.run(requests) satisfies FromThread);
}

parentPort?.on("message", (message: ToThread) => {
  if (message.kind === "run") {
    // Everything that has already arrived is taken into the same run.
    if (waiting.length === 0) setImmediate(flush);
    waiting.push(...message.requests);
    return;
  }
  flush();
  session.close();
  parentPort?.close();
});
