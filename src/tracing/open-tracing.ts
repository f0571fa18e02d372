// Work that begins and ends comes in, as spans; they go out to a collector. It refuses to know what the work is.
import { createGuardedFetch } from "../util/net/guarded-fetch.js";
import type { Environment } from "../util/net/proxy.js";
import { createExporter } from "./exporter.js";
import type { TraceSettings } from "./settings.js";
import type { Attributes, FinishedSpan, SpanKind } from "./span.js";
import type { TraceContext } from "./trace-context.js";

export interface Tracing {
  begin(name: string, wish: SpanWish): Span;
  /** Sends what is left, for a moment. */
  close(): Promise<void>;
}

export interface SpanWish {
  readonly kind: SpanKind;
  /** What it is a part of; left out, a trace begins here. */
  readonly parent?: TraceContext | undefined;
  readonly attributes?: Attributes;
}

export interface Span {
  readonly context: TraceContext;
  note(attributes: Attributes): void;
  /** `failure`: what went wrong, in a word. Only the first end counts. */
  end(failure?: string): void;
}

export interface TracingParts {
  readonly settings: TraceSettings;
  readonly version: string;
  /** The variables that name a proxy and certificate authorities. */
  readonly env: Environment;
  readonly now: () => number;
  /** Milliseconds that only ever grow. */
  readonly elapsed: () => number;
  readonly randomBytes: (size: number) => Buffer;
  readonly schedule: (delayMs: number, run: () => void) => () => void;
  readonly log: (message: string) => void;
}

export function openTracing(parts: TracingParts): Tracing {
  const { settings, version, env, log, schedule } = parts;
  const { origin } = new URL(settings.endpoint);
  const guarded = createGuardedFetch({ server: "The collector of traces", allowInward: [origin], env });
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
  // Spans must not end before they began, whatever happens to the time of day.
  const anchor = parts.now() - elapsed();
  const time = (): number => anchor + elapsed();

  const contextFor = (parent: TraceContext | undefined): TraceContext => {
    const spanId = randomBytes(8).toString("hex");
    if (parent !== undefined) return { ...parent, spanId };
    const traceId = randomBytes(16).toString("hex");
    return { traceId, spanId, isSampled: isChosen(traceId, parts.settings.ratio) };
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

/** By the trace's id, so that all who see the trace choose alike. */
function isChosen(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-8), 16) < ratio * 0x1_0000_0000;
}
