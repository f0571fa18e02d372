// Finished spans come in; they leave in batches, and are given up rather than kept for ever or waited for.
import { toDiscoveryError } from "../errors.js";
import type { GuardedFetch } from "../util/net/guarded-fetch.js";
import { type FinishedSpan, toOtlp } from "./span.js";

export interface ExporterParts {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Readonly<Record<string, string>>;
  readonly version: string;
  readonly guarded: GuardedFetch;
  readonly log: (message: string) => void;
  /** Runs something later, without keeping the process for it; gives what calls it off. */
  readonly schedule: (delayMs: number, run: () => void) => () => void;
}

export interface Exporter {
  add(span: FinishedSpan): void;
  /** Sends what there is, once and within a limit. */
  close(): Promise<void>;
}

const MOST_WAITING = 4096;
const BATCH = 512;
const PAUSE_MS = 5000;
const TIMEOUT_MS = 10_000;
const LAST_TIMEOUT_MS = 2000;
const MOST_ANSWER_BYTES = 64 * 1024;
/** What a collector says that is busy. */
const LATER = new Set([429, 502, 503, 504]);

export function createExporter(parts: ExporterParts): Exporter {
  const waiting: FinishedSpan[] = [];
  let callOff: (() => void) | undefined;
  let sending: Promise<void> | undefined;
  let isFailing = false;

  const stop = (): void => {
    callOff?.();
    callOff = undefined;
  };
  const plan = (delayMs: number): void => {
    stop();
    callOff = parts.schedule(delayMs, () => {
      callOff = undefined;
      void flush(TIMEOUT_MS);
    });
  };

  function flush(timeoutMs: number): Promise<void> {
    sending ??= sendAll(timeoutMs).finally(() => {
      sending = undefined;
      if (waiting.length > 0) plan(PAUSE_MS);
    });
    return sending;
  }

  async function sendAll(timeoutMs: number): Promise<void> {
    while (waiting.length > 0) {
      const spans = waiting.splice(0, BATCH);
      const problem = await post(spans, timeoutMs);
      if (problem === undefined) {
        isFailing = false;
        continue;
      }
      if (!isFailing) parts.log(`Traces cannot be sent: ${problem.message}`);
      isFailing = true;
      if (problem.mayPass) waiting.unshift(...spans.slice(0, MOST_WAITING - waiting.length));
      return;
    }
  }

  async function post(spans: readonly FinishedSpan[], timeoutMs: number): Promise<Problem | undefined> {
    const { endpoint, headers, resource, version } = parts;
    const scope = { name: "@anygpt/discovery", version };
    try {
      const response = await parts.guarded.fetch({
        url: new URL(endpoint),
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: Buffer.from(JSON.stringify(toOtlp({ spans, resource, scope }))),
        timeoutMs,
        maxTotalMs: timeoutMs,
        maxBytes: MOST_ANSWER_BYTES,
        redirect: "refuse",
      });
      for await (const _chunk of response.body) {
        // Nothing in the answer is of use, and a connection whose answer is read can be used again.
      }
      if (response.status < 300) return undefined;
      return { message: `the collector answers ${response.status}.`, mayPass: LATER.has(response.status) };
    } catch (error) {
      return { message: toDiscoveryError(error).message, mayPass: true };
    }
  }

  return {
    add(span) {
      // The newest are of most use.
      if (waiting.length >= MOST_WAITING) waiting.shift();
      waiting.push(span);
      if (sending !== undefined) return;
      if (waiting.length >= BATCH && !isFailing) plan(0);
      else if (callOff === undefined) plan(PAUSE_MS);
    },
    async close() {
      stop();
      await sending;
      if (!isFailing) await flush(LAST_TIMEOUT_MS);
      stop();
      parts.guarded.close();
    },
  };
}

interface Problem {
  readonly message: string;
  /** Whether it is worth another try. */
  readonly mayPass: boolean;
}
