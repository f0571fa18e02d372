import type { JsonObject } from "../../model/json.js";

type Headers = Readonly<Record<string, string>>;

/** What goes out for one request. */
export interface Answer {
  readonly status: number;
  readonly headers?: Headers;
  readonly contentType: "application/json" | "application/problem+json" | "text/plain; version=0.0.4; charset=utf-8";
  /** A text goes out as it is. */
  readonly body: JsonObject | string;
  /** The connection ends with it. */
  readonly closes?: boolean;
}

export function toAnswer(body: JsonObject, headers: Headers = {}): Answer {
  return { status: 200, headers, contentType: "application/json", body };
}

/** What is said here is for one caller, and is nothing but data. */
export const ALWAYS: Headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

export function toResponse({ status, headers, contentType, body }: Answer, more: Headers = {}): Response {
  return new Response(typeof body === "string" ? body : JSON.stringify(body), {
    status,
    headers: { ...ALWAYS, ...more, ...headers, "content-type": contentType },
  });
}
