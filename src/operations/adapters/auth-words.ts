import type { WantedAuth } from "../../adapters/described.js";
import type { RestAuth } from "../../model/server.js";

/** Describes an authentication method for display. */
export function describeAuth(auth: WantedAuth | RestAuth): string {
  switch (auth.kind) {
    case "bearer":
      return "a bearer token";
    case "basic":
      return "a user name and a password (basic)";
    case "api-key":
      return `a key in the ${auth.in} ${auth.name}`;
    case "client-credentials":
      return "OAuth 2 client credentials";
    case "other":
      return `${auth.what}, which adapters do not support`;
  }
}

/**
 * The value of `--auth` for this method, with suggested variable names. Undefined if adapters do not support the
 * method.
 */
export function authOption(auth: WantedAuth, name: string): string | undefined {
  const variable = name
    .toUpperCase()
    .replaceAll("-", "_")
    .replace(/^(?=\d)/, "_");
  switch (auth.kind) {
    case "bearer":
      return `bearer:${variable}_TOKEN`;
    case "basic":
      return `basic:${variable}_USER:${variable}_PASSWORD`;
    case "api-key":
      return `${auth.in}:${auth.name}:${variable}_KEY`;
    case "client-credentials":
      return `oauth2:${variable}_ID:${variable}_SECRET:${auth.tokenUrl ?? "https://…"}`;
    case "other":
      return undefined;
  }
}
