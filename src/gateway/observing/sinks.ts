import type { Metrics } from "../../metrics/metrics.js";
import type { Tracing } from "../../tracing/open-tracing.js";
import type { Log } from "../../util/log.js";

/** The destinations for reports about calls and searches. At least one is present. */
export interface ObservationSinks {
  readonly metrics?: Metrics;
  readonly tracing?: Tracing;
  /** Receives one message per call and per search. */
  readonly log?: Log;
  readonly elapsed: () => number;
}
