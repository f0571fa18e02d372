import type { JsonObject } from "../model/json.js";

/** A parent span as in W3C Trace Context. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const MAX_STATE_LENGTH = 512;

/**
 * Parses a `traceparent` header; undefined if it is invalid. Accepts additional fields, which later versions may
 * append.
 */
export function parseTraceparent(text: unknown): TraceContext | undefined {
  const [, version, traceId = "", spanId = "", flags = "", more] = TRACEPARENT.exec(String(text)) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function toTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

/** Returns the trace context in the headers of a request, as `_meta` members; undefined if there is none. */
export function traceMeta(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): JsonObject | undefined {
  const { traceparent, tracestate } = headers;
  if (parseTraceparent(traceparent) === undefined) return undefined;
  const isPassedOn = typeof tracestate === "string" && tracestate !== "" && tracestate.length <= MAX_STATE_LENGTH;
  return { traceparent, ...(isPassedOn ? { tracestate } : {}) };
}
