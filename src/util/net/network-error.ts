import { DiscoveryError, type ErrorOptions, type Executed } from "../../errors.js";

/** Messages for error codes after which no part of the request can have reached the server. */
export const UNREACHED: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens at its address",
  ENOTFOUND: "its host name is not known",
  EAI_AGAIN: "its host name could not be looked up",
  EHOSTUNREACH: "its host cannot be reached",
  ENETUNREACH: "its network cannot be reached",
  UND_ERR_CONNECT_TIMEOUT: "its host did not answer",
  ERR_BLOCKED_PORT: "its port is blocked for HTTP clients",
  CERT_HAS_EXPIRED: "its TLS certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its TLS certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its TLS certificate is self-signed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its TLS certificate cannot be verified",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its TLS certificate cannot be verified",
  ERR_TLS_CERT_ALTNAME_INVALID: "its TLS certificate belongs to another host",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS",
};

/** Codes of `UNREACHED` that can also occur after the server has read the request. */
const ALSO_LATER = /^(?:EHOSTUNREACH|ENETUNREACH|ERR_SSL_\w+)$/;

/** Converts a socket, DNS or TLS error. `isSent`: whether the server may have read the request. */
export function toNetworkError(server: string, error: unknown, isSent: boolean): DiscoveryError {
  if (error instanceof DiscoveryError) return error;
  const code = systemCodeOf(error) ?? "unknown";
  const isTls = /CERT|TLS|SSL|^UNABLE_TO_|^EPROTO$/.test(code);
  if (isSent && !isUnreached(code, error)) return connectionLost(server, code, error);
  const what = UNREACHED[code] ?? whyNot(code, isTls);
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `${server} cannot be reached: ${what} (${code}).`, {
    hint: isTls
      ? [
          "Repair the certificate, or correct the URL of the server.",
          {
            action: "set-variable",
            name: "NODE_EXTRA_CA_CERTS",
            value: "the file with the server's certificate authority",
          },
        ]
      : "Check the address of the server and that it is running.",
    facts: { error: code },
    server,
    cause: error,
  });
}

function whyNot(code: string, isTls: boolean): string {
  // The error code of Node if a TLS handshake gets a response that is not TLS.
  if (code === "EPROTO") return "it does not speak TLS";
  return isTls ? "its TLS certificate was not accepted" : "the connection failed";
}

function isUnreached(code: string, error: unknown): boolean {
  const isEarly = !ALSO_LATER.test(code) || /^(?:connect|getaddrinfo)$/.test(firstOf("syscall", error) ?? "");
  return UNREACHED[code] !== undefined && isEarly;
}

export function connectionLost(server: string, code: string, cause: unknown): DiscoveryError {
  return new DiscoveryError("TOOL_EXECUTION_ERROR", `The connection to ${server} was lost (${code}).`, {
    hint: "Check what the call has done before you repeat it.",
    facts: { error: code },
    server,
    executed: "unknown",
    cause,
  });
}

export function timedOut(server: string, limitMs: number, isSent: boolean): DiscoveryError {
  return new DiscoveryError("TOOL_EXECUTION_TIMEOUT", `${server} did not answer within ${limitMs / 1000} s.`, {
    hint: isSent
      ? ["Check what the call has done before you repeat it.", { action: "raise-timeout" }]
      : ["No connection was established.", { action: "retry" }],
    facts: { limitMs },
    server,
    executed: isSent ? "unknown" : "no",
  });
}

export function fetchCancelled(server: string, isSent: boolean): DiscoveryError {
  return new DiscoveryError("CANCELLED", `The call to ${server} was cancelled.`, {
    server,
    executed: isSent ? "unknown" : "no",
  });
}

export function responseTooLarge(server: string, maxBytes: number): DiscoveryError {
  return new DiscoveryError("RESULT_TOO_LARGE", `${server} answered with more than ${maxBytes} bytes.`, {
    hint: "Request less data at a time, with a filter or a page size.",
    facts: { maxBytes },
    server,
    executed: "unknown",
  });
}

export function refusedAddress(server: string, why: string, options: ErrorOptions = {}): DiscoveryError {
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `${server} is not contacted: ${why}.`, {
    hint: "If you trust the address, write it into the configuration yourself.",
    server,
    ...options,
  });
}

/**
 * The error for a redirect that is not followed. `executed`: whether the call ran, according to the status of the
 * redirect.
 */
export function refusedRedirect(
  server: string,
  why: string,
  { status, executed }: { readonly status: number; readonly executed: Executed },
): DiscoveryError {
  return new DiscoveryError(
    "TOOL_EXECUTION_ERROR",
    `${server} responded with a redirect that is not followed: ${why}.`,
    {
      hint:
        executed === "no"
          ? "Correct the base address or the path, so that no redirect is needed."
          : "Check what the call has done before you repeat it.",
      facts: { status },
      server,
      executed,
    },
  );
}

/** The system, DNS or TLS error code of an error or of one of its causes. */
export function systemCodeOf(error: unknown): string | undefined {
  return firstOf("code", error);
}

/**
 * The first `code` or `syscall` found in an error and its causes. If Node tried several IP addresses, their errors are
 * in an AggregateError.
 */
function firstOf(member: "code" | "syscall", error: unknown): string | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; depth++) {
    const value = (cause as NodeJS.ErrnoException)[member];
    if (typeof value === "string") return value;
    cause = cause instanceof AggregateError ? cause.errors[0] : cause.cause;
  }
  return undefined;
}
