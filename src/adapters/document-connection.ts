import type { RestConnection } from "../model/server.js";

/** What the configuration says that makes a difference to the tools of a document. */
export type DocumentConnection = Pick<RestConnection, "document" | "baseUrl" | "operations" | "idempotencyHeader"> &
  Partial<Pick<RestConnection, "headers" | "auth">>;

/** Whether the configuration itself fills a parameter: then it is no argument, and none could change it. */
export function isFilled({ headers, auth }: DocumentConnection, place: string, name: string): boolean {
  const isSame = (other: string): boolean => other.toLowerCase() === name.toLowerCase();
  if (place === "header" && Object.keys(headers ?? {}).some(isSame)) return true;
  return auth?.kind === "api-key" && auth.in === place && (place === "header" ? isSame(auth.name) : auth.name === name);
}

/** The same without the values of headers and credentials, whose names are enough. */
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
