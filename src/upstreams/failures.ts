// Converts errors from the SDK, from fetch and from sockets into DiscoveryErrors. Other modules must not read
// `error.message`.
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, SseError } from "@modelcontextprotocol/client";
import { DiscoveryError, type ErrorCode, type Executed } from "../errors.js";
import { UNREACHED } from "../util/net/network-error.js";
import { type Hint, toNextSteps } from "../model/next-steps.js";
import { cutAtWord, toOneLine } from "../util/text.js";

/**
 * Whether the request may have been sent before the error occurred. The same error codes are reported while connecting
 * and when a connection is lost during a call; only in the first case is it certain that nothing was sent.
 */
function isAfterConnect(error: unknown, code: string): boolean {
  if (code !== "EHOSTUNREACH" && code !== "ENETUNREACH") return false;
  const { syscall } = (findCause(error, (cause) => "syscall" in cause) ?? {}) as NodeJS.ErrnoException;
  return syscall !== "connect" && syscall !== "getaddrinfo";
}

/** Converts a failure below HTTP: a name, connection or TLS error. */
export function networkError(server: string, error: unknown): DiscoveryError {
  const code = systemCode(error) ?? "unknown";
  const unreached = isAfterConnect(error, code) ? undefined : UNREACHED[code];
  const tls = /CERT|TLS|SSL|^UNABLE_TO_/.test(code);
  if (unreached === undefined && !tls) {
    return new DiscoveryError("TOOL_EXECUTION_ERROR", `The connection to ${server} was lost (${code}).`, {
      hint: "Check what the call has done before you repeat it.",
      facts: { error: code },
      server,
      executed: "unknown",
      cause: error,
    });
  }
  const what = unreached ?? "its TLS certificate was not accepted";
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `${server} cannot be reached: ${what} (${code}).`, {
    hint: tls
      ? [
          "Repair the certificate, or correct the URL of the server.",
          {
            action: "set-variable",
            name: "NODE_EXTRA_CA_CERTS",
            value: "the file with the server's certificate authority",
          },
        ]
      : "Check the URL of the server, and that the server is running.",
    facts: { error: code },
    server,
    cause: error,
  });
}

export function unauthorized(server: string, status: number): DiscoveryError {
  return new DiscoveryError("UPSTREAM_UNAUTHORIZED", `${server} rejected the credentials (HTTP ${status}).`, {
    hint: [
      { action: "edit-config", key: `servers.${server}.headers`, value: "the header with the token" },
      "Check that the token is valid.",
    ],
    facts: { status },
    server,
    executed: executedAfter(status),
  });
}

/** The authentication that a server requires (RFC 9110, RFC 9728). It contains no text that the server chose. */
export interface Challenge {
  /** The authentication scheme in lower case. */
  readonly scheme: "bearer" | "basic" | "other";
  /** Whether the challenge contains the URL of protected resource metadata. */
  readonly hasMetadata: boolean;
}

/** Adds the server's authentication challenge to an error. */
export function withChallenge(refusal: DiscoveryError, header: string | null): DiscoveryError {
  const challenge = challengeIn(header);
  if (challenge === undefined) return refusal;
  return refusal.with({ facts: { ...refusal.facts, challenge } });
}

export function challengeIn(header: string | null): Challenge | undefined {
  if (header === null) return undefined;
  const [, word = ""] = /^\s*([a-z]{1,20})(?:\s|$)/i.exec(header) ?? [];
  const scheme = word.toLowerCase();
  return {
    scheme: scheme === "bearer" || scheme === "basic" ? scheme : "other",
    hasMetadata: /[\s,]resource_metadata\s*=/i.test(header.slice(0, 8_192)),
  };
}

/**
 * Status codes that say that the request was not executed: its credentials, session, method, size, format or timing
 * were wrong, or it belongs to another server (RFC 9110, 6585, 8470; in MCP, 404 also means that a session has ended).
 * After all other codes, this is unknown: 302 and 303 may be sent after the work, 408 and 499 interrupt it, 403 and 406
 * also come from a proxy that inspects the response, and 400, 409 and 422 also come from the tool itself.
 */
const NOT_EXECUTED = new Set([307, 308, 401, 404, 405, 407, 411, 413, 415, 421, 425, 426, 429, 431]);

function executedAfter(status: number): Executed {
  return NOT_EXECUTED.has(status) ? "no" : "unknown";
}

/** Converts an unexpected HTTP status into the error of a call. */
export function statusError(server: string, status: number, cause: unknown): DiscoveryError {
  if (status === 401 || status === 403) return unauthorized(server, status);
  const [code, what, hint] = explainStatus(status);
  const executed = executedAfter(status);
  return new DiscoveryError(code, `${server} ${what} (HTTP ${status}).`, {
    hint: executed === "no" ? hint : [...toNextSteps(hint), CHECK_FIRST],
    facts: { status },
    server,
    executed,
    cause,
  });
}

const CHECK_FIRST = "Check what the call has done before you repeat it.";

function explainStatus(status: number): [ErrorCode, string, Hint] {
  const checkUrl = "Check the URL of the server.";
  if (status < 300) return ["TOOL_EXECUTION_ERROR", "answered with data that is not MCP", checkUrl];
  if (status < 400) {
    const hint = "If you trust the redirect target, write its URL into the configuration.";
    return ["SERVER_CONNECTION_ERROR", "redirects to another address, which the gateway does not follow", hint];
  }
  if (status === 404)
    return ["SERVER_CONNECTION_ERROR", "has nothing at this address or has ended the session", checkUrl];
  if (status === 429)
    return [
      "SERVER_CONNECTION_ERROR",
      "rejected the request because of its rate limit",
      { action: "retry", afterSeconds: 60 },
    ];
  if (status === 503) return ["SERVER_CONNECTION_ERROR", "is not available", ""];
  if (status < 500) return ["TOOL_EXECUTION_ERROR", "rejected the request", checkUrl];
  return ["TOOL_EXECUTION_ERROR", "failed", ""];
}

/** Converts any error of a request into a DiscoveryError. */
export function requestError(server: string, error: unknown): DiscoveryError {
  const known = findCause(error, (cause) => cause instanceof DiscoveryError);
  if (known instanceof DiscoveryError) return known.about({ server });
  const status = httpStatus(error);
  if (status !== undefined) return statusError(server, status, error);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return notAnswered(server, error);
  if (error instanceof SdkError && error.code === SdkErrorCode.ClientHttpUnexpectedContent)
    return notMcp(server, error);
  if (error instanceof SyntaxError) return notMcp(server, error);
  return networkError(server, error);
}

/** Converts any error that occurs while a connection is opened into a DiscoveryError. */
export function connectError(server: string, error: unknown): DiscoveryError {
  if (error instanceof ProtocolError) return handshakeRejected(server, error);
  if (isUnclassified(error)) return handshakeFailed(server, error);
  const found = requestError(server, error);
  const keeps: readonly ErrorCode[] = [
    "SERVER_CONNECTION_ERROR",
    "UPSTREAM_UNAUTHORIZED",
    "CONFIGURATION_ERROR",
    "CANCELLED",
  ];
  const isKept = keeps.includes(found.code);
  const steps = isKept ? found.nextSteps.filter((step) => step.action !== "advice" || step.text !== CHECK_FIRST) : [];
  // The new error has no `executed`, because no tool was called yet.
  return new DiscoveryError(isKept ? found.code : "SERVER_CONNECTION_ERROR", found.message, {
    hint: steps.length > 0 ? steps : `Check the connection of ${server} in the configuration.`,
    facts: found.facts,
    server,
    cause: found.cause,
  });
}

export function httpStatus(error: unknown): number | undefined {
  const found = findCause(error, (cause) => cause instanceof SdkHttpError || cause instanceof SseError);
  if (found instanceof SdkHttpError) return found.status;
  return found instanceof SseError ? found.code : undefined;
}

function handshakeRejected(server: string, error: ProtocolError): DiscoveryError {
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `${server} rejected the handshake (JSON-RPC ${error.code}).`, {
    hint: `Check that ${server} is an MCP server, and which protocol versions it supports.`,
    facts: { jsonRpcCode: error.code },
    server,
    cause: error,
  });
}

function isUnclassified(error: unknown): boolean {
  if (findCause(error, (cause) => cause instanceof DiscoveryError) !== undefined) return false;
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return false;
  return httpStatus(error) === undefined && systemCode(error) === undefined;
}

function handshakeFailed(server: string, error: unknown): DiscoveryError {
  const detail = error instanceof Error ? cutAtWord(toOneLine(error.message), 200).replace(/\.$/, "") : "unknown error";
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `The handshake with ${server} failed: ${detail}.`, {
    hint: `Check that ${server} is an MCP server, and which protocol versions it supports.`,
    server,
    cause: error,
  });
}

function notAnswered(server: string, cause: unknown): DiscoveryError {
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `${server} did not answer the handshake in time.`, {
    hint: `Check that ${server} is an MCP server, and read its log.`,
    server,
    cause,
  });
}

function notMcp(server: string, cause: unknown): DiscoveryError {
  return new DiscoveryError("TOOL_EXECUTION_ERROR", `${server} answered with data that is not MCP.`, {
    hint: "Check the URL of the server.",
    server,
    executed: "unknown",
    cause,
  });
}

function systemCode(error: unknown): string | undefined {
  // undici 6 to 8 block the ports on the fetch standard's list without an error code.
  if (findCause(error, ({ message }) => message === "bad port") !== undefined) return "ERR_BLOCKED_PORT";
  const found = findCause(
    error,
    (cause) => typeof (cause as NodeJS.ErrnoException).code === "string" && !(cause instanceof SdkError),
  );
  return found === undefined ? undefined : ((found as NodeJS.ErrnoException).code ?? undefined);
}

/** The outermost matching error in the chain of causes. Node wraps some causes in an AggregateError. */
function findCause(error: unknown, fits: (cause: Error) => boolean): Error | undefined {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 8; depth++) {
    if (fits(cause)) return cause;
    cause = cause instanceof AggregateError ? cause.errors[0] : cause.cause;
  }
  return undefined;
}

/** True if the connection failed before the server could receive the request. */
export function isNotSent(error: unknown): error is DiscoveryError {
  return error instanceof DiscoveryError && error.executed === "no" && error.code === "SERVER_CONNECTION_ERROR";
}

/**
 * Converts the reason why a connection was closed into the error of a running call: it is unknown whether the call was
 * executed.
 */
export function toMidCallError(reason: DiscoveryError): DiscoveryError {
  return new DiscoveryError(
    reason.code === "TOOL_EXECUTION_TIMEOUT" ? reason.code : "TOOL_EXECUTION_ERROR",
    reason.message,
    {
      hint: "Check what the call has done before you repeat it. The next call starts the server again.",
      facts: reason.facts,
      server: reason.server,
      executed: "unknown",
      cause: reason,
    },
  );
}
