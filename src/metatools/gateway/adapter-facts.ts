import type { CatalogServer } from "../../catalog/snapshot.js";
import type { PendingServer } from "../../catalog/starts.js";
import { variablesOf } from "../../config/template.js";
import type { JsonObject } from "../../model/json.js";
import type { ServerConnection, RestAuth } from "../../model/server.js";
import type { DescribeStep } from "../../model/next-steps.js";
import type { UpstreamState } from "../../upstreams/types.js";
import { describeServer } from "../describe-server.js";

/** How the gateway authenticates to an adapter's API: the names of variables, never their values. */
export interface Authentication {
  readonly type: "none" | "bearer" | "basic" | "api_key" | "oauth2" | "headers" | "environment";
  /** The header that is sent, with `***` in place of the secret. */
  readonly header?: string;
  readonly variables: readonly string[];
}

export function describeAuthentication(connection: ServerConnection): Authentication {
  if (connection.kind === "built-in") return { type: "none", variables: [] };
  if (connection.kind === "stdio") {
    const variables = namesIn(Object.values(connection.env));
    return { type: variables.length > 0 ? "environment" : "none", variables };
  }
  const inHeaders = namesIn(Object.values(connection.headers));
  if (connection.kind === "rest" && connection.auth !== undefined) {
    const { type, header, texts } = describeAuth(connection.auth);
    return {
      type,
      ...(header === undefined ? {} : { header }),
      variables: [...new Set([...namesIn(texts), ...inHeaders])],
    };
  }
  const names = Object.keys(connection.headers);
  const bearer = names.find((name) => name.toLowerCase() === "authorization");
  if (bearer !== undefined) return { type: "bearer", header: `${bearer}: ***`, variables: inHeaders };
  return { type: names.length > 0 ? "headers" : "none", variables: inHeaders };
}

function describeAuth(auth: RestAuth): Pick<Authentication, "type" | "header"> & { readonly texts: readonly string[] } {
  switch (auth.kind) {
    case "bearer":
      return { type: "bearer", header: "Authorization: Bearer ***", texts: [auth.token] };
    case "basic":
      return { type: "basic", header: "Authorization: Basic ***", texts: [auth.username, auth.password] };
    case "api-key":
      return {
        type: "api_key",
        ...(auth.in === "header" ? { header: `${auth.name}: ***` } : {}),
        texts: [auth.value],
      };
    case "client-credentials":
      return {
        type: "oauth2",
        header: "Authorization: Bearer ***",
        texts: [auth.clientId, auth.clientSecret, auth.tokenUrl],
      };
  }
}

function namesIn(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => variablesOf(text).map(({ name }) => name)))];
}

/**
 * Returns the title in the configuration; without one, the title that the server sent; without both, the server's name.
 */
export function titleOf({ definition, record }: CatalogServer): string {
  return definition.facts?.title ?? record?.title ?? definition.name;
}

export function describeStatus(
  server: CatalogServer,
  state: UpstreamState,
  start: PendingServer | undefined,
  describe: DescribeStep,
): JsonObject {
  const { status, known, reason } = describeServer(server, state, describe, start !== undefined);
  if (status === "error") return { status: "error", ...(reason === undefined ? {} : { reason }) };
  if (start !== undefined) return { status: "pending", phase: start.phase, seconds: Math.floor(start.forMs / 1000) };
  return { status: known ? "operational" : "unknown" };
}
