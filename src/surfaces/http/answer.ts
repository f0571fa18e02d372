import type { JsonObject } from "../../model/json.js";

type Headers = Readonly<Record<string, string>>;

/** The response to one request. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Headers;
  readonly contentType: "application/json" | "application/problem+json" | "text/plain; version=0.0.4; charset=utf-8";
  /** The response body. An object is sent as JSON, a string unchanged. */
  readonly body: JsonObject | string;
  /** Whether the connection is closed after the response. */
  readonly closes?: boolean;
}

export function toAnswer(body: JsonObject, headers: Headers = {}): HttpAnswer {
  return { status: 200, headers, contentType: "application/json", body };
}

/**
 * Headers of every response. A response is for one caller only, so it must not be cached. Browsers must not guess
 * another content type.
 */
export const COMMON_HEADERS: Headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

export function toResponse({ status, headers, contentType, body }: HttpAnswer, more: Headers = {}): Response {
  return new Response(typeof body === "string" ? body : JSON.stringify(body), {
    status,
    headers: { ...COMMON_HEADERS, ...more, ...headers, "content-type": contentType },
  });
}
