// Foreign errors of the SDK, of fetch and of sockets come in, our own go out. Nothing after this reads an error's text.
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, SseError } from "@modelcontextprotocol/client";
import { DiscoveryError, type ErrorCode, type Executed } from "../errors.js";
import { UNREACHED } from "../util/net/network-error.js";
import { cutAtWord, toOneLine } from "../util/text.js";

/** A way that is lost in the midst of a call says so with the same codes: only who was connecting has sent nothing. */
function isLate(error: unknown, code: string): boolean {
  if (code !== "EHOSTUNREACH" && code !== "ENETUNREACH") return false;
  const { syscall } = (findCause(error, (cause) => "syscall" in cause) ?? {}) as NodeJS.ErrnoException;
  return syscall !== "connect" && syscall !== "getaddrinfo";
}

/** What went wrong below HTTP. */
export function networkError(server: string, error: unknown): DiscoveryError {
  const code = systemCode(error) ?? "unknown";
  const unreached = isLate(error, code) ? undefined : UNREACHED[code];
  const tls = /CERT|TLS|SSL|^UNABLE_TO_/.test(code);
  if (unreached === undefined && !tls) {
    return new DiscoveryError("TOOL_EXECUTION_ERROR", `The connection to ${server} broke off (${code}).`, {
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
      ? "Repair the certificate, correct the url, or name the server's certificate authority in NODE_EXTRA_CA_CERTS."
      : "Check the url of the server and that it is running.",
    facts: { error: code },
    server,
    cause: error,
  });
}

export function unauthorized(server: string, status: number): DiscoveryError {
  return new DiscoveryError("UPSTREAM_UNAUTHORIZED", `${server} refused our credentials (HTTP ${status}).`, {
    hint: "Set the header or variable that carries its token in the configuration, and check that the token is valid.",
    facts: { status },
    server,
    executed: executedAfter(status),
  });
}

/** What a server says of how it wants to be asked (RFC 9110, RFC 9728). Nothing that it can fill with text of its own. */
export interface Challenge {
  /** In small letters: `bearer`, `basic`, `other`. */
  readonly scheme: "bearer" | "basic" | "other";
  /** It names a document that tells where to sign in. */
  readonly hasMetadata: boolean;
}

/** The refusal, with what the server says of how it wants to be asked. */
export function withChallenge(refusal: DiscoveryError, header: string | null): DiscoveryError {
  const challenge = challengeIn(header);
  if (challenge === undefined) return refusal;
  const { code, message, hint, facts, server, executed } = refusal;
  return new DiscoveryError(code, message, {
    hint,
    facts: { ...facts, challenge },
    server,
    executed,
    cause: refusal.cause,
  });
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
 * Statuses by which somebody says that the request was not handed on: its credentials, session, method, size, form or
 * moment were at fault, or it belongs elsewhere (RFC 9110, 6585, 8470; 404 is how MCP tells that a session has ended).
 * All others leave it open: 200 with a strange body, 302 and 303 are given after the work, 408 and 499 in the midst of it,
 * 403 and 406 also by who inspects the answer, 400, 409 and 422 also by the tool's own code.
 */
const NOT_HANDED_ON = new Set([307, 308, 401, 404, 405, 407, 411, 413, 415, 421, 425, 426, 429, 431]);

function executedAfter(status: number): Executed {
  return NOT_HANDED_ON.has(status) ? "no" : "unknown";
}

/** What an HTTP status other than success means for a call. */
export function statusError(server: string, status: number, cause: unknown): DiscoveryError {
  if (status === 401 || status === 403) return unauthorized(server, status);
  const [code, what, hint] = explainStatus(status);
  const executed = executedAfter(status);
  return new DiscoveryError(code, `${server} ${what} (HTTP ${status}).`, {
    hint: executed === "no" ? hint : `${hint} ${CHECK_FIRST}`.trim(),
    facts: { status },
    server,
    executed,
    cause,
  });
}

const CHECK_FIRST = "Check what the call has done before you repeat it.";

function explainStatus(status: number): [ErrorCode, string, string] {
  const atUrl = "Check the url of the server.";
  if (status < 300) return ["TOOL_EXECUTION_ERROR", "answered with something that is not MCP", atUrl];
  if (status < 400) {
    const hint = "Put the address that it redirects to into the configuration, if you trust it.";
    return ["SERVER_CONNECTION_ERROR", "redirects to another place, which is not followed", hint];
  }
  if (status === 404) return ["SERVER_CONNECTION_ERROR", "has nothing at this address or has ended the session", atUrl];
  if (status === 429) return ["SERVER_CONNECTION_ERROR", "is too busy", "Call again in a minute."];
  if (status === 503) return ["SERVER_CONNECTION_ERROR", "is not available", ""];
  if (status < 500) return ["TOOL_EXECUTION_ERROR", "rejected the request", atUrl];
  return ["TOOL_EXECUTION_ERROR", "failed", ""];
}

/** Any error that sending a request can end with. */
export function requestError(server: string, error: unknown): DiscoveryError {
  const own = findCause(error, (cause) => cause instanceof DiscoveryError);
  if (own instanceof DiscoveryError) return own.about({ server });
  const status = httpStatus(error);
  if (status !== undefined) return statusError(server, status, error);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return notAnswered(server, error);
  if (error instanceof SdkError && error.code === SdkErrorCode.ClientHttpUnexpectedContent)
    return notMcp(server, error);
  if (error instanceof SyntaxError) return notMcp(server, error);
  return networkError(server, error);
}

/** Any error that opening a connection can end with. */
export function connectError(server: string, error: unknown): DiscoveryError {
  if (error instanceof ProtocolError) return refused(server, error);
  if (isUnclassified(error)) return handshakeFailed(server, error);
  const found = requestError(server, error);
  const keeps: readonly ErrorCode[] = [
    "SERVER_CONNECTION_ERROR",
    "UPSTREAM_UNAUTHORIZED",
    "CONFIGURATION_ERROR",
    "CANCELLED",
  ];
  const isKept = keeps.includes(found.code);
  const hint = isKept ? found.hint?.replace(CHECK_FIRST, "").trim() : "";
  // Nothing was called yet, whatever the answer leaves open about a call.
  return new DiscoveryError(isKept ? found.code : "SERVER_CONNECTION_ERROR", found.message, {
    hint: hint || "Check the connection of the server in the configuration.",
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

function refused(server: string, error: ProtocolError): DiscoveryError {
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `${server} refused the handshake (JSON-RPC ${error.code}).`, {
    hint: "Check that it is an MCP server and which protocol versions it speaks.",
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
  const said = error instanceof Error ? cutAtWord(toOneLine(error.message), 200).replace(/\.$/, "") : "unknown error";
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `The handshake with ${server} failed: ${said}.`, {
    hint: "Check that it is an MCP server and which protocol versions it speaks.",
    server,
    cause: error,
  });
}

function notAnswered(server: string, cause: unknown): DiscoveryError {
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `${server} did not answer the handshake in time.`, {
    hint: "Check that it is an MCP server; the log of the server may say more.",
    server,
    cause,
  });
}

function notMcp(server: string, cause: unknown): DiscoveryError {
  return new DiscoveryError("TOOL_EXECUTION_ERROR", `${server} answered with something that is not MCP.`, {
    hint: "Check the url of the server.",
    server,
    executed: "unknown",
    cause,
  });
}

function systemCode(error: unknown): string | undefined {
  // undici 6 to 8, by the fetch standard's list of ports: it has no code for it.
  if (findCause(error, ({ message }) => message === "bad port") !== undefined) return "ERR_BLOCKED_PORT";
  const found = findCause(
    error,
    (cause) => typeof (cause as NodeJS.ErrnoException).code === "string" && !(cause instanceof SdkError),
  );
  return found === undefined ? undefined : ((found as NodeJS.ErrnoException).code ?? undefined);
}

/** The outermost error in the chain of causes that fits. Node hides some causes in an AggregateError. */
function findCause(error: unknown, fits: (cause: Error) => boolean): Error | undefined {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 8; depth++) {
    if (fits(cause)) return cause;
    cause = cause instanceof AggregateError ? cause.errors[0] : cause.cause;
  }
  return undefined;
}

/** The connection failed before the server could have looked at anything. */
export function isUntouched(error: unknown): error is DiscoveryError {
  return error instanceof DiscoveryError && error.executed === "no" && error.code === "SERVER_CONNECTION_ERROR";
}

/** For a call that was under way, the end of the connection leaves open whether it was carried out. */
export function midCall(reason: DiscoveryError): DiscoveryError {
  return new DiscoveryError(
    reason.code === "TOOL_EXECUTION_TIMEOUT" ? reason.code : "TOOL_EXECUTION_ERROR",
    reason.message,
    {
      hint: "Check what the call has done before you repeat it; the next call starts the server anew.",
      facts: reason.facts,
      server: reason.server,
      executed: "unknown",
      cause: reason,
    },
  );
}
