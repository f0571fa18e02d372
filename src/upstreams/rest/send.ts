// Sends a call to the API and returns the response as a tool result. Retries if a repetition is safe and time allows.
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
import { mediaType, toRestResult } from "./answer.js";
import { toApiError } from "./api-failure.js";
import { type BaseAddress, isBelow } from "./base-address.js";
import type { RestRequest } from "./build-request.js";
import type { Authorized, RestCredentials } from "./credentials.js";
import { isTokenName, isHeaderValue } from "./headers.js";
import { orCancelled } from "./or-cancelled.js";
import { pause } from "./pause.js";
import { mayRepeat, parseRetryAfter, type RetryBudget, retryDelayMs } from "./retry.js";
import { createStreamReader, streamKind } from "./stream.js";

const KEY_MEMBER = "anygpt/idempotencyKey";
const MAX_EVENT_LENGTH = 2_000;
const MAX_ERROR_BYTES = 64 * 1024;

export interface SendParts {
  readonly server: string;
  readonly version: string;
  readonly connection: RestConnection;
  readonly maxMessageBytes: number;
  readonly guarded: GuardedFetch;
  readonly credentials: RestCredentials;
  readonly secrets: Secrets;
  readonly budget: RetryBudget;
  readonly now: () => number;
  readonly random: () => number;
  readonly schedule: Schedule;
}

/** A tool call with the HTTP request that was built for it. */
export interface PreparedCall {
  readonly call: UpstreamCall;
  readonly operation: RestOperation;
  readonly request: RestRequest;
  readonly base: BaseAddress;
}

type AttemptOutcome =
  | { readonly kind: "result"; readonly result: CallResult }
  | { readonly kind: "failed"; readonly error: DiscoveryError }
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly retryAfterMs: number | undefined;
      readonly error: DiscoveryError;
    };

export async function send(prepared: PreparedCall, parts: SendParts): Promise<CallResult> {
  const { call, operation, request } = prepared;
  const { signal } = call.context;
  const { budget, credentials, now, random } = parts;
  const began = now();
  const leftMs = (): number => call.maxTotalMs - (now() - began);
  const key = keyOf(prepared, parts.server);
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
    const outcome = await attemptOnce({ ...prepared, authorized, key, leftMs: leftMs() }, parts);
    if (outcome.kind === "result") return outcome.result;
    // A token can expire early. A request rejected with 401 was not executed, so sending it again does not repeat
    // anything.
    if (
      outcome.kind === "answered" &&
      outcome.status === 401 &&
      refused === undefined &&
      authorized.token !== undefined
    ) {
      refused = authorized.token;
      continue;
    }
    // If an earlier attempt may have been executed, the error says so.
    const error = outcome.error.about({ executed });
    const state = { attempt, mayRepeat: repeatable, isSafe: isSafe(request.method), leftMs: leftMs(), random };
    const delayMs = retryDelayMs(outcome, state);
    if (delayMs === undefined || signal?.aborted || !budget.take()) throw error;
    executed = error.executed;
    attempt += 1;
    await pause(delayMs, parts.schedule, signal);
  }
}

/** Waits for a token only as long as the call's time limit allows. Several calls may wait for the same token. */
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

interface Attempt extends PreparedCall {
  readonly authorized: Authorized;
  readonly key: { readonly header: string; readonly value: string } | undefined;
  readonly leftMs: number;
}

async function attemptOnce(attempt: Attempt, parts: SendParts): Promise<AttemptOutcome> {
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
      call.context.signal,
    );
  } catch (error) {
    if (error instanceof DiscoveryError) return { kind: "failed", error };
    throw error;
  }
  try {
    return await read(response, attempt, parts);
  } catch (error) {
    throw error instanceof DiscoveryError ? withExecution(response.status, error) : error;
  }
}

/** If the API reported success and only its response exceeds the size limit, the call was executed. */
function withExecution(status: number, error: DiscoveryError): DiscoveryError {
  if (error.code !== "RESULT_TOO_LARGE" || status >= 300) return error;
  return error.with({ facts: { ...error.facts, status }, executed: "yes", cause: error });
}

async function read(
  response: GuardedResponse,
  { call, operation }: Attempt,
  parts: SendParts,
): Promise<AttemptOutcome> {
  const { status, headers, url } = response;
  const bytes = status < 300 ? await readForwarding(response, call, parts) : await readStart(response);
  if (status >= 200 && status < 300) {
    const address = `${url.origin}${url.pathname}`;
    return { kind: "result", result: toRestResult({ method: operation.method, status, headers, bytes, address }) };
  }
  const { server, connection, now } = parts;
  const retryAfterMs = parseRetryAfter(headers["retry-after"], now());
  const about = { server, connection, operation, status, retryAfterMs, redact: parts.secrets.redact };
  const error = toApiError({ ...about, contentType: mediaType(headers), text: bytes.toString("utf8") });
  return { kind: "answered", status, retryAfterMs, error };
}

/**
 * Reads the complete response. Events of a streamed response are reported as progress, and each restarts the idle
 * timeout.
 */
async function readForwarding(response: GuardedResponse, call: UpstreamCall, parts: SendParts): Promise<Buffer> {
  const kind = streamKind(mediaType(response.headers), response.headers);
  const eventsIn = kind === undefined ? undefined : createStreamReader(kind);
  const chunks: Buffer[] = [];
  let progress = 0;
  for await (const chunk of response.body) {
    chunks.push(chunk);
    for (const event of eventsIn?.(chunk) ?? []) {
      progress += 1;
      response.reportActivity();
      const message = cutAtWord(parts.secrets.redact(event.slice(0, 2 * MAX_EVENT_LENGTH)), MAX_EVENT_LENGTH);
      call.report?.({ kind: "progress", progress, message });
    }
  }
  return Buffer.concat(chunks);
}

/** Reads only the beginning of an error response, which is enough to find its message. */
async function readStart(response: GuardedResponse): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= MAX_ERROR_BYTES) break;
  }
  return Buffer.concat(chunks);
}

function keyOf({ call, operation }: PreparedCall, server: string): Attempt["key"] {
  const value = call.meta?.[KEY_MEMBER];
  const header = operation.idempotencyHeader?.toLowerCase();
  if (header === undefined || typeof value !== "string") return undefined;
  if (isTokenName(header) && isHeaderValue(value) && value !== "") return { header, value };
  throw new DiscoveryError(
    "TOOL_VALIDATION_ERROR",
    `The idempotency key cannot be sent to ${server}: it is not a valid HTTP header.`,
    {
      hint: "Use an idempotency key of letters, digits and dashes.",
      server,
    },
  );
}

function joinCookies(configured: string | undefined, fromArguments: string): string {
  return configured === undefined ? fromArguments : `${configured}; ${fromArguments}`;
}
