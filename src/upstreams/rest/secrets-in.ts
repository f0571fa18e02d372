import type { RestAuth } from "../../model/server.js";

/** All credential values to redact, including the encoded forms in which they are sent. */
export function secretsIn(auth: RestAuth | undefined): string[] {
  switch (auth?.kind) {
    case "bearer":
      return [auth.token];
    case "basic":
      return [auth.password, basic(auth.username, auth.password).slice("Basic ".length)];
    case "api-key":
      return [auth.value];
    case "client-credentials":
      return [auth.clientSecret, basic(auth.clientId, auth.clientSecret).slice("Basic ".length)];
    case undefined:
      return [];
  }
}

export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}
