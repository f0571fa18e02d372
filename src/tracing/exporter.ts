// Sends finished spans in batches. If the collector is too slow, spans are dropped; calls never wait for the collector.
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
  /** Runs a function later without keeping the process alive; returns a function that cancels it. */
  readonly schedule: (delayMs: number, run: () => void) => () => void;
}

export interface Exporter {
  add(span: FinishedSpan): void;
  /** Sends the remaining spans once, within a time limit. */
  close(): Promise<void>;
}

const MAX_QUEUED_SPANS = 4096;
const BATCH = 512;
const PAUSE_MS = 5000;
const TIMEOUT_MS = 10_000;
const LAST_TIMEOUT_MS = 2000;
const MAX_RESPONSE_BYTES = 64 * 1024;
/** HTTP statuses with which an overloaded collector responds. The batch is sent again. */
const RETRYABLE = new Set([429, 502, 503, 504]);

export function createExporter(parts: ExporterParts): Exporter {
  const waiting: FinishedSpan[] = [];
  let cancelPlanned: (() => void) | undefined;
  let sending: Promise<void> | undefined;
  let isFailing = false;

  const stop = (): void => {
    cancelPlanned?.();
    cancelPlanned = undefined;
  };
  const plan = (delayMs: number): void => {
    stop();
    cancelPlanned = parts.schedule(delayMs, () => {
      cancelPlanned = undefined;
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
      if (problem.isRetryable) waiting.unshift(...spans.slice(0, MAX_QUEUED_SPANS - waiting.length));
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
        maxBytes: MAX_RESPONSE_BYTES,
        redirect: "refuse",
      });
      for await (const _chunk of response.body) {
        // Read the response body although it is not needed: only then can the connection be reused.
      }
      if (response.status < 300) return undefined;
      return {
        message: `the collector answered with HTTP status ${response.status}.`,
        isRetryable: RETRYABLE.has(response.status),
      };
    } catch (error) {
      return { message: toDiscoveryError(error).message, isRetryable: true };
    }
  }

  return {
    add(span) {
      // Drop the oldest span.
      if (waiting.length >= MAX_QUEUED_SPANS) waiting.shift();
      waiting.push(span);
      if (sending !== undefined) return;
      if (waiting.length >= BATCH && !isFailing) plan(0);
      else if (cancelPlanned === undefined) plan(PAUSE_MS);
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
  /** Whether sending the batch again can succeed. */
  readonly isRetryable: boolean;
}
