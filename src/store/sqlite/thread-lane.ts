import { Worker } from "node:worker_threads";
import { builtFile } from "../../util/built-file.js";
import type { Lane } from "./lane.js";
import type { Reply, Request } from "./operations.js";

export type ToThread = { readonly kind: "run"; readonly requests: readonly Request[] } | { readonly kind: "close" };
export type FromThread = readonly Reply[];

/** Longer than the wait for other processes. Whether the change was made is then unknown: asking again tells. */
const DEADLINE_MS = 15_000;
const YOUNG_MB = 6;
/** So much waits for a thread that is late; it may be all that knows of something, such as a new token. */
const MOST_OPEN = 1000;

interface ThreadParts {
  readonly program: string;
  readonly deadlineMs: number;
}

type Resolve = (reply: Reply) => void;

/**
 * Runs in a thread of its own, so that a sync of the disk never holds up the gateway. What arrives while one is under
 * way shares the next. The thread starts with the first request and keeps the process alive only while one is open.
 */
export function createThreadLane(file: string, parts: Partial<ThreadParts> = {}): Lane {
  const { program = builtFile("store-worker.js"), deadlineMs = DEADLINE_MS } = parts;
  let thread: Thread | undefined;
  let isClosed = false;

  return {
    send(request) {
      if (isClosed) return Promise.resolve(ended("it was closed"));
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

/** Requests that were sent in one go, and how many of them have no answer yet. */
interface Batch {
  readonly requests: Request[];
  readonly waiting: Resolve[];
  left: number;
  deadline: NodeJS.Timeout | undefined;
}

function startThread({ file, program, deadlineMs }: ThreadParts & { file: string }, onEnd: () => void): Thread {
  // It makes little that stays; the space for young objects would grow to many times what it needs.
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
  const worker = new Worker(program, { workerData: { file }, env: {}, resourceLimits });
  let batch = newBatch();
  let open: { readonly resolve: Resolve; readonly batch: Batch }[] = [];
  let failure = "its thread ended";
  let isClosing = false;
  let isLate = false;
  const late = ended(`it did not answer within ${deadlineMs} ms`);

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
      // What cannot be copied to a thread is a defect of who sent it; nobody else must end by it.
      const refused = open.filter((one) => one.batch === sent);
      open = open.filter((one) => one.batch !== sent);
      for (const one of refused) answer(one, ended(`a request cannot be passed on: ${String(error)}`));
    }
  };
  const answer = ({ resolve, batch: of }: (typeof open)[number], reply: Reply): void => {
    of.left -= 1;
    if (of.left === 0) clearTimeout(of.deadline);
    resolve(reply);
  };
  const over = new Promise<void>((resolve) => {
    worker.once("exit", () => {
      onEnd();
      for (const one of open) answer(one, ended(failure));
      open = [];
      resolve();
    });
  });
  worker.on("error", (error) => {
    failure = `its thread failed: ${error.message}`;
  });
  // Requests are answered in the order in which they were sent.
  worker.on("message", (replies: FromThread) => {
    isLate = false;
    for (const [index, one] of open.splice(0, replies.length).entries()) answer(one, replies[index] as Reply);
    // Who waits for the end must not be left alone with a thread that counts for nothing.
    if (open.length === 0 && !isClosing) worker.unref();
  });

  return {
    send(request, resolve) {
      if (isLate && open.length >= MOST_OPEN) return resolve(late);
      if (open.push({ resolve, batch }) === 1) worker.ref();
      batch.left += 1;
      batch.waiting.push(resolve);
      // After everything that waits in this turn has had its say: what comes of it leaves together.
      if (batch.requests.push(request) === 1) process.nextTick(flush);
    },
    async close() {
      isClosing = true;
      flush();
      worker.ref();
      post({ kind: "close" });
      await over;
    },
  };
}

function newBatch(): Batch {
  return { requests: [], waiting: [], left: 0, deadline: undefined };
}

function ended(reason: string): Reply {
  return {
    kind: "failed",
    fault: { reason, hint: "Try again; if it stays so, check the disk that it lies on.", isFatal: false },
  };
}
