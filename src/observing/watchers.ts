import type { Metrics } from "../metrics/metrics.js";
import type { Tracing } from "../tracing/open-tracing.js";
import type { Log } from "../util/log.js";

/** Those who want to know of calls and searches: at least one of them is there. */
export interface Watchers {
  readonly metrics?: Metrics;
  readonly tracing?: Tracing;
  /** Is told of every call and every search. */
  readonly log?: Log;
  readonly elapsed: () => number;
}
