import { Worker } from "node:worker_threads";
import { builtFile } from "../../util/built-file.js";
import type { DatabaseChannel } from "./channel.js";
import type { Reply, Request } from "./operations.js";

export type ToThread = { readonly kind: "run"; readonly requests: readonly Request[] } | { readonly kind: "close" };
export type FromThread = readonly Reply[];

/**
 * How long to wait for a reply from the thread; longer than `BUSY_TIMEOUT_MS`. If the deadline passes, it is unknown
 * whether the change was made; the caller must read the store to find out.
 */
const DEADLINE_MS = 15_000;
const MAX_YOUNG_GENERATION_MB = 6;
/**
 * The maximum number of open requests after the thread has missed a deadline; further requests fail at once. Open
 * requests are never dropped: one may contain the only copy of a new token.
 */
const MAX_OPEN = 1000;

interface ThreadParts {
  readonly program: string;
  readonly deadlineMs: number;
}

type Resolve = (reply: Reply) => void;

/**
 * Runs the database in a worker thread, so that a disk sync never blocks the gateway's event loop. Requests that arrive
 * during one sync share the next. The thread starts with the first request and keeps the process alive only while a
 * request is open.
 */
export function createThreadChannel(file: string, parts: Partial<ThreadParts> = {}): DatabaseChannel {
  const { program = builtFile("store-worker.js"), deadlineMs = DEADLINE_MS } = parts;
  let thread: Thread | undefined;
  let isClosed = false;

  return {
    send(request) {
      if (isClosed) return Promise.resolve(toFailure("the store was closed"));
      return new Promise((resolve) => {
        thread ??= startThread({ file, program, deadlineMs }, () => (thread = undefined));
        thread.send(request, resolve);
      });
    },
    async close() {
      isClosed = true;
      await thread?.close();
    },
  };
}

interface Thread {
  send(request: Request, resolve: Resolve): void;
  close(): Promise<void>;
}

/** Requests that were sent in the same tick, and how many of them have no reply yet. */
interface Batch {
  readonly requests: Request[];
  readonly waiting: Resolve[];
  left: number;
  deadline: NodeJS.Timeout | undefined;
}

function startThread({ file, program, deadlineMs }: ThreadParts & { file: string }, onEnd: () => void): Thread {
  // The thread keeps few objects alive; without a limit, V8's young generation would grow to many times the needed
  // size.
  const resourceLimits = { maxYoungGenerationSizeMb: MAX_YOUNG_GENERATION_MB };
  const worker = new Worker(program, { workerData: { file }, env: {}, resourceLimits });
  let batch = newBatch();
  let open: { readonly resolve: Resolve; readonly batch: Batch }[] = [];
  let failure = "the database thread ended";
  let isClosing = false;
  let isLate = false;
  const late = toFailure(`the database did not answer within ${deadlineMs} ms`);

  const post = (message: ToThread): void => worker.postMessage(message);
  const flush = (): void => {
    const sent = batch;
    if (sent.left === 0) return;
    batch = newBatch();
    sent.deadline = setTimeout(() => {
      isLate = true;
      for (const resolve of sent.waiting) resolve(late);
    }, deadlineMs);
    try {
      post({ kind: "run", requests: sent.requests });
    } catch (error) {
      // A value that cannot be cloned is a defect of the caller. Only the requests of this batch fail.
      const failed = open.filter((one) => one.batch === sent);
      open = open.filter((one) => one.batch !== sent);
      for (const one of failed)
        answer(one, toFailure(`a request cannot be sent to the database thread: ${String(error)}`));
    }
  };
  const answer = ({ resolve, batch: sent }: (typeof open)[number], reply: Reply): void => {
    sent.left -= 1;
    if (sent.left === 0) clearTimeout(sent.deadline);
    resolve(reply);
  };
  const exited = new Promise<void>((resolve) => {
    worker.once("exit", () => {
      onEnd();
      for (const one of open) answer(one, toFailure(failure));
      open = [];
      resolve();
    });
  });
  worker.on("error", (error) => {
    failure = `the database thread failed: ${error.message}`;
  });
  // The thread replies in the order in which the requests were sent.
  worker.on("message", (replies: FromThread) => {
    isLate = false;
    for (const [index, one] of open.splice(0, replies.length).entries()) answer(one, replies[index] as Reply);
    // While a caller waits for `close`, the thread must keep the process alive.
    if (open.length === 0 && !isClosing) worker.unref();
  });

  return {
    send(request, resolve) {
      if (isLate && open.length >= MAX_OPEN) return resolve(late);
      if (open.push({ resolve, batch }) === 1) worker.ref();
      batch.left += 1;
      batch.waiting.push(resolve);
      // nextTick runs after the current callback, so that all its requests are sent together.
      if (batch.requests.push(request) === 1) process.nextTick(flush);
    },
    async close() {
      isClosing = true;
      flush();
      worker.ref();
      post({ kind: "close" });
      await exited;
    },
  };
}

function newBatch(): Batch {
  return { requests: [], waiting: [], left: 0, deadline: undefined };
}

function toFailure(reason: string): Reply {
  return {
    kind: "failed",
    fault: { reason, hint: "Try again. If it fails again, check the disk that holds the store.", isFatal: false },
  };
}
