import type { WantedAuth } from "../../adapters/described.js";
import type { RestAuth } from "../../model/server.js";

/** A way of authentication in words. */
export function describeAuth(auth: WantedAuth | RestAuth): string {
  switch (auth.kind) {
    case "bearer":
      return "a bearer token";
    case "basic":
      return "a name and a password (basic)";
    case "api-key":
      return `a key in the ${auth.in} ${auth.name}`;
    case "client-credentials":
      return "OAuth 2 client credentials";
    case "other":
      return `${auth.what}, which adapters do not have`;
  }
}

/** What to give `--auth` for it; undefined for what adapters do not have. */
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
