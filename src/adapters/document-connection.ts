import type { RestConnection } from "../model/server.js";

/** The part of an adapter's configuration that affects which tools are made from its API document. */
export type DocumentConnection = Pick<RestConnection, "document" | "baseUrl" | "operations" | "idempotencyHeader"> &
  Partial<Pick<RestConnection, "headers" | "auth">>;

/**
 * Whether the configuration sets this parameter. Such a parameter is not offered as an argument, so that no caller can
 * change it.
 */
export function isConfigured({ headers, auth }: DocumentConnection, location: string, name: string): boolean {
  const isSame = (other: string): boolean => other.toLowerCase() === name.toLowerCase();
  if (location === "header" && Object.keys(headers ?? {}).some(isSame)) return true;
  return (
    auth?.kind === "api-key" && auth.in === location && (location === "header" ? isSame(auth.name) : auth.name === name)
  );
}

/** Replaces the values of headers and credentials with empty strings: the conversion needs only their names. */
export function withoutSecrets(connection: DocumentConnection): DocumentConnection {
  const { document, baseUrl, operations, idempotencyHeader, headers = {}, auth } = connection;
  return {
    document,
    operations,
    headers: Object.fromEntries(Object.keys(headers).map((name) => [name, ""])),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(idempotencyHeader === undefined ? {} : { idempotencyHeader }),
    ...(auth?.kind === "api-key" ? { auth: { ...auth, value: "" } } : {}),
  };
}
