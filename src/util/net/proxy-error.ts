import { DiscoveryError } from "../../errors.js";
import { systemCodeOf, UNREACHED } from "./network-error.js";
import type { Proxy } from "./proxy.js";

/** Nothing of the request has reached the server yet. */
export function proxyUnreached(server: string, { variable, url }: Proxy, cause: unknown): DiscoveryError {
  const code = systemCodeOf(cause) ?? "unknown";
  const what = UNREACHED[code] ?? "the connection failed";
  const message = `${server} cannot be reached through the proxy ${url.host} (${variable}): ${what} (${code}).`;
  return new DiscoveryError("SERVER_CONNECTION_ERROR", message, {
    hint: `Correct ${variable}, or add the server's host to NO_PROXY to connect without a proxy.`,
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

function explain(status: number, { variable, hasCredentials }: Situation): [what: string, hint: string] {
  const bypass = "or add the server's host to NO_PROXY to connect without a proxy";
  if (status !== 407) return ["it refused the connection", `Ask the operator of the proxy to allow it, ${bypass}.`];
  return hasCredentials
    ? ["it does not accept the user name and the password", `Correct them in ${variable}, ${bypass}.`]
    : ["it wants a user name and a password", `Set ${variable} to http://USER:PASSWORD@HOST:PORT, ${bypass}.`];
}
