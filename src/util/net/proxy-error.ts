import { DiscoveryError } from "../../errors.js";
import type { Hint } from "../../model/next-steps.js";
import { systemCodeOf, UNREACHED } from "./network-error.js";
import type { Proxy } from "./proxy.js";

const BYPASS = "To connect without a proxy, add the server's host to the environment variable NO_PROXY.";

/** The error if the proxy cannot be reached. No part of the request has reached the server. */
export function proxyUnreached(server: string, { variable, url }: Proxy, cause: unknown): DiscoveryError {
  const code = systemCodeOf(cause) ?? "unknown";
  const what = UNREACHED[code] ?? "the connection failed";
  const message = `${server} cannot be reached through the proxy ${url.host} (${variable}): ${what} (${code}).`;
  return new DiscoveryError("SERVER_CONNECTION_ERROR", message, {
    hint: [{ action: "set-variable", name: variable, value: "the address of a working proxy" }, BYPASS],
    facts: { error: code, variable },
    server,
    cause,
  });
}

export function proxyRefused(
  server: string,
  { variable, url, authorization }: Proxy,
  { status, target }: { readonly status: number; readonly target: string },
): DiscoveryError {
  const [what, hint] = explain(status, { variable, hasCredentials: authorization !== undefined });
  const message = `${server} cannot be reached through the proxy ${url.host} (${variable}): ${what} (HTTP ${status}).`;
  return new DiscoveryError("SERVER_CONNECTION_ERROR", message, { hint, facts: { status, variable, target }, server });
}

interface Situation {
  readonly variable: string;
  readonly hasCredentials: boolean;
}

function explain(status: number, { variable, hasCredentials }: Situation): [what: string, hint: Hint] {
  if (status !== 407)
    return ["it refused the connection", ["Ask the operator of the proxy to allow the connection.", BYPASS]];
  return hasCredentials
    ? [
        "it does not accept the user name and the password",
        [{ action: "set-variable", name: variable, value: "an address with valid credentials" }, BYPASS],
      ]
    : [
        "it requires a user name and a password",
        [{ action: "set-variable", name: variable, value: "http://USER:PASSWORD@HOST:PORT" }, BYPASS],
      ];
}
