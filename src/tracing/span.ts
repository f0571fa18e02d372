import type { TraceContext } from "./trace-context.js";

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** OpenTelemetry span kinds: the gateway responds to a caller, works internally, or calls a server. */
export type SpanKind = "server" | "internal" | "client";

/** A finished span. Times are Unix milliseconds, with fractions. */
export interface FinishedSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly context: TraceContext;
  readonly parentSpanId: string | undefined;
  readonly beganAt: number;
  readonly endedAt: number;
  readonly attributes: Attributes;
  /** The error code; undefined if the operation succeeded. */
  readonly failure: string | undefined;
}

const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 };
const FAILED = 2;

export interface Batch {
  readonly spans: readonly FinishedSpan[];
  readonly resource: Attributes;
  readonly scope: { readonly name: string; readonly version: string };
}

/** Converts a batch of spans to the body of an OTLP 1.x request over HTTP with JSON. */
export function toOtlp({ spans, resource, scope }: Batch): object {
  return {
    resourceSpans: [
      { resource: { attributes: toAttributes(resource) }, scopeSpans: [{ scope, spans: spans.map(toOtlpSpan) }] },
    ],
  };
}

function toOtlpSpan({
  name,
  kind,
  context,
  parentSpanId,
  beganAt,
  endedAt,
  attributes,
  failure,
}: FinishedSpan): object {
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: toNanos(beganAt),
    endTimeUnixNano: toNanos(endedAt),
    attributes: toAttributes(attributes),
    status: failure === undefined ? {} : { code: FAILED, message: failure },
  };
}

function toAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: toValue(value) }));
}

function toValue(value: string | number | boolean): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Converts to nanoseconds, as a string, because they exceed the exact range of JavaScript numbers. */
function toNanos(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}
