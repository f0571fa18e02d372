// A call comes in, the API's answer goes out as a result: sent once, or again where that does no harm and the time allows it.
import { DiscoveryError, type Executed } from "../../errors.js";
import type { CallResult } from "../../model/call.js";
import type { RestOperation } from "../../model/operation.js";
import type { RestConnection } from "../../model/server.js";
import type { GuardedFetch, GuardedResponse } from "../../util/net/guarded-fetch.js";
import { isSafe } from "../../util/net/safe-method.js";
import { createTimeLimit } from "../../util/net/time-limit.js";
import type { Secrets } from "../../util/secrets.js";
import { cutAtWord } from "../../util/text.js";
import type { Schedule } from "../schedule.js";
import type { UpstreamCall } from "../types.js";
import { mediaType, toCallResult } from "./answer.js";
import { toApiError } from "./api-failure.js";
import { type BaseAddress, isBelow } from "./base-address.js";
import type { RestRequest } from "./build-request.js";
import type { Authorized, Credentials } from "./credentials.js";
import { isHeaderName, isHeaderValue } from "./headers.js";
import { orCancelled } from "./or-cancelled.js";
import { pause } from "./pause.js";
import { mayRepeat, parseRetryAfter, type RetryBudget, retryDelayMs } from "./retry.js";
import { createStreamReader, streamKind } from "./stream.js";

const KEY_MEMBER = "anygpt/idempotencyKey";
const LONGEST_EVENT = 2_000;
const MOST_OF_FAILURE = 64 * 1024;

export interface SendParts {
  readonly server: string;
  readonly version: string;
  readonly connection: RestConnection;
  readonly maxMessageBytes: number;
  readonly guarded: GuardedFetch;
  readonly credentials: Credentials;
  readonly secrets: Secrets;
  readonly budget: RetryBudget;
  readonly now: () => number;
  readonly random: () => number;
  readonly schedule: Schedule;
}

/** One call and what it is sent as. */
export interface Sending {
  readonly call: UpstreamCall;
  readonly operation: RestOperation;
  readonly request: RestRequest;
  readonly base: BaseAddress;
}

type Tried =
  | { readonly kind: "result"; readonly result: CallResult }
  | { readonly kind: "failed"; readonly error: DiscoveryError }
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly retryAfterMs: number | undefined;
      readonly error: DiscoveryError;
    };

export async function send(sending: Sending, parts: SendParts, signal?: AbortSignal): Promise<CallResult> {
  const { call, operation, request } = sending;
  const { budget, credentials, now, random } = parts;
  const began = now();
  const leftMs = (): number => call.maxTotalMs - (now() - began);
  const key = keyOf(sending, parts.server);
  const repeatable = mayRepeat(operation, key !== undefined);
  let refused: string | undefined;
  let executed: Executed = "no";
  budget.called();
  for (let attempt = 0; ; ) {
    const authorizing = credentials.apply(request, operation.isOpen === true, refused);
    const { timeoutMs, maxTotalMs } = call;
    const waiting = { server: parts.server, timeoutMs, maxTotalMs, leftMs: Math.max(1, leftMs()) };
    const authorized = await inTime(authorizing, waiting, signal).catch((error: unknown) => {
      throw error instanceof DiscoveryError ? error.about({ executed }) : error;
    });
    const tried = await attemptOnce({ ...sending, authorized, key, leftMs: leftMs() }, parts, signal);
    if (tried.kind === "result") return tried.result;
    // A token may end before its time. The API has done nothing, so that this is no repetition.
    if (tried.kind === "answered" && tried.status === 401 && refused === undefined && authorized.token !== undefined) {
      refused = authorized.token;
      continue;
    }
    // What an earlier try has left open stays open.
    const error = tried.error.about({ executed });
    const state = { attempt, mayRepeat: repeatable, isSafe: isSafe(request.method), leftMs: leftMs(), random };
    const delayMs = retryDelayMs(tried, state);
    if (delayMs === undefined || signal?.aborted || !budget.take()) throw error;
    executed = error.executed;
    attempt += 1;
    await pause(delayMs, parts.schedule, signal);
  }
}

/** A token is fetched for many calls; each waits no longer than it has time itself. */
async function inTime<Result>(
  work: Promise<Result>,
  limits: Parameters<typeof createTimeLimit>[0],
  signal?: AbortSignal,
): Promise<Result> {
  const limit = createTimeLimit(limits, signal);
  try {
    return await orCancelled(work, limits.server, limit.signal);
  } catch (error) {
    throw limit.reason() ?? error;
  } finally {
    limit.end();
  }
}

interface Attempt extends Sending {
  readonly authorized: Authorized;
  readonly key: { readonly header: string; readonly value: string } | undefined;
  readonly leftMs: number;
}

async function attemptOnce(attempt: Attempt, parts: SendParts, signal?: AbortSignal): Promise<Tried> {
  const { call, authorized, key, leftMs } = attempt;
  const { request } = authorized;
  const cookies = request.cookies.length === 0 ? undefined : request.cookies.join("; ");
  let response: GuardedResponse;
  try {
    response = await parts.guarded.fetch(
      {
        url: request.url,
        method: request.method,
        headers: {
          accept: "application/json, */*;q=0.5",
          "user-agent": `anygpt-discovery/${parts.version}`,
          ...(call.traceparent === undefined ? {} : { traceparent: call.traceparent }),
          ...request.headers,
          ...(cookies === undefined ? {} : { cookie: joinCookies(request.headers["cookie"], cookies) }),
          ...(key === undefined ? {} : { [key.header]: key.value }),
        },
        body: request.body,
        timeoutMs: call.timeoutMs,
        maxTotalMs: call.maxTotalMs,
        leftMs: Math.max(1, leftMs),
        maxBytes: parts.maxMessageBytes,
        redirect: "follow",
        isWithin: (url) => isBelow(attempt.base, url),
      },
      signal,
    );
  } catch (error) {
    if (error instanceof DiscoveryError) return { kind: "failed", error };
    throw error;
  }
  try {
    return await read(response, attempt, parts);
  } catch (error) {
    throw error instanceof DiscoveryError ? endedAt(response.status, error) : error;
  }
}

/** The API said how it ended; only its answer did not fit. */
function endedAt(status: number, error: DiscoveryError): DiscoveryError {
  if (error.code !== "RESULT_TOO_LARGE" || status >= 300) return error;
  const { code, message, hint, facts, server } = error;
  return new DiscoveryError(code, message, {
    hint,
    facts: { ...facts, status },
    server,
    executed: "yes",
    cause: error,
  });
}

async function read(response: GuardedResponse, { call, operation }: Attempt, parts: SendParts): Promise<Tried> {
  const { status, headers, url } = response;
  const bytes = status < 300 ? await readForwarding(response, call, parts) : await readStart(response);
  if (status >= 200 && status < 300) {
    const address = `${url.origin}${url.pathname}`;
    return { kind: "result", result: toCallResult({ method: operation.method, status, headers, bytes, address }) };
  }
  const { server, connection, now } = parts;
  const retryAfterMs = parseRetryAfter(headers["retry-after"], now());
  const about = { server, connection, operation, status, retryAfterMs, redact: parts.secrets.redact };
  const error = toApiError({ ...about, contentType: mediaType(headers), text: bytes.toString("utf8") });
  return { kind: "answered", status, retryAfterMs, error };
}

/** The whole answer; what comes bit by bit is told on the way, and each event is a sign of life. */
async function readForwarding(response: GuardedResponse, call: UpstreamCall, parts: SendParts): Promise<Buffer> {
  const kind = streamKind(mediaType(response.headers), response.headers);
  const eventsIn = kind === undefined ? undefined : createStreamReader(kind);
  const chunks: Buffer[] = [];
  let progress = 0;
  for await (const chunk of response.body) {
    chunks.push(chunk);
    for (const event of eventsIn?.(chunk) ?? []) {
      progress += 1;
      response.heard();
      const message = cutAtWord(parts.secrets.redact(event.slice(0, 2 * LONGEST_EVENT)), LONGEST_EVENT);
      call.onEvent?.({ kind: "progress", progress, message });
    }
  }
  return Buffer.concat(chunks);
}

/** Of a failure: enough to find its message in, however long it is. */
async function readStart(response: GuardedResponse): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= MOST_OF_FAILURE) break;
  }
  return Buffer.concat(chunks);
}

function keyOf({ call, operation }: Sending, server: string): Attempt["key"] {
  const value = call.meta?.[KEY_MEMBER];
  const header = operation.idempotencyHeader?.toLowerCase();
  if (header === undefined || typeof value !== "string") return undefined;
  if (isHeaderName(header) && isHeaderValue(value) && value !== "") return { header, value };
  throw new DiscoveryError("TOOL_VALIDATION_ERROR", `The idempotency key cannot be sent to ${server} as a header.`, {
    hint: "Use letters, digits and dashes.",
    server,
  });
}

function joinCookies(configured: string | undefined, own: string): string {
  return configured === undefined ? own : `${configured}; ${own}`;
}
