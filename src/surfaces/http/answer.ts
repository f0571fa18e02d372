import type { JsonObject } from "../../model/json.js";

type Headers = Readonly<Record<string, string>>;

/** The response to one request. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Headers;
  readonly contentType: "application/json" | "application/problem+json" | "text/plain; version=0.0.4; charset=utf-8";
  /** A string is sent unchanged. */
  readonly body: JsonObject | string;
  /** Closes the connection after the response. */
  readonly closes?: boolean;
}

export function toAnswer(body: JsonObject, headers: Headers = {}): HttpAnswer {
  return { status: 200, headers, contentType: "application/json", body };
}

/** Responses are for one caller only and must not be cached or interpreted as another type. */
export const ALWAYS: Headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

export function toResponse({ status, headers, contentType, body }: HttpAnswer, more: Headers = {}): Response {
  return new Response(typeof body === "string" ? body : JSON.stringify(body), {
    status,
    headers: { ...ALWAYS, ...more, ...headers, "content-type": contentType },
  });
}
