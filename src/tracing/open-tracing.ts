// Creates spans and exports them to an OpenTelemetry collector.
import { createGuardedFetch } from "../util/net/guarded-fetch.js";
import type { ProxyEnvironment } from "../util/net/proxy.js";
import { createExporter } from "./exporter.js";
import type { TraceSettings } from "./settings.js";
import type { Attributes, FinishedSpan, SpanKind } from "./span.js";
import type { TraceContext } from "./trace-context.js";

export interface Tracing {
  begin(name: string, options: SpanOptions): Span;
  /** Sends the remaining spans, within a short time limit. */
  close(): Promise<void>;
}

export interface SpanOptions {
  readonly kind: SpanKind;
  /** The parent span. If it is missing, the span starts a new trace. */
  readonly parent?: TraceContext | undefined;
  readonly attributes?: Attributes;
}

export interface Span {
  readonly context: TraceContext;
  note(attributes: Attributes): void;
  /** Ends the span. `failure` is the error code. Only the first call has an effect. */
  end(failure?: string): void;
}

export interface TracingParts {
  readonly settings: TraceSettings;
  readonly version: string;
  /** Environment variables that configure the proxy and the certificate authorities. */
  readonly env: ProxyEnvironment;
  readonly now: () => number;
  /** A monotonic clock in milliseconds. */
  readonly elapsed: () => number;
  readonly randomBytes: (size: number) => Buffer;
  readonly schedule: (delayMs: number, run: () => void) => () => void;
  readonly log: (message: string) => void;
}

export function openTracing(parts: TracingParts): Tracing {
  const { settings, version, env, log, schedule } = parts;
  const { origin } = new URL(settings.endpoint);
  const guarded = createGuardedFetch({ server: "The trace collector", allowInternal: [origin], env });
  const exporter = createExporter({ ...settings, version, guarded, log, schedule });
  return createTracing(parts, exporter);
}

interface Sink {
  add(span: FinishedSpan): void;
  close(): Promise<void>;
}

export function createTracing(
  parts: Pick<TracingParts, "settings" | "now" | "elapsed" | "randomBytes">,
  sink: Sink,
): Tracing {
  const { randomBytes, elapsed } = parts;
  // Measure with a monotonic clock, so that a span does not end before its start if the system time is changed.
  const anchor = parts.now() - elapsed();
  const time = (): number => anchor + elapsed();

  const contextFor = (parent: TraceContext | undefined): TraceContext => {
    const spanId = randomBytes(8).toString("hex");
    if (parent !== undefined) return { ...parent, spanId };
    const traceId = randomBytes(16).toString("hex");
    return { traceId, spanId, isSampled: isSampledTrace(traceId, parts.settings.ratio) };
  };

  return {
    begin(name, { kind, parent, attributes = {} }) {
      const context = contextFor(parent);
      const beganAt = time();
      let noted = attributes;
      let isOver = false;
      return {
        context,
        note: (more) => void (noted = { ...noted, ...more }),
        end(failure) {
          if (isOver) return;
          isOver = true;
          if (!context.isSampled) return;
          const parentSpanId = parent?.spanId;
          sink.add({ name, kind, context, parentSpanId, beganAt, endedAt: time(), attributes: noted, failure });
        },
      };
    },
    close: () => sink.close(),
  };
}

/**
 * Whether a trace is sampled. The decision depends only on the trace id, so that all participants of a trace decide
 * alike.
 */
function isSampledTrace(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-8), 16) < ratio * 0x1_0000_0000;
}
