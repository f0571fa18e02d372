import { z } from "zod";

/** The section `observability` of the configuration. */
export const observabilityOptions = z
  .strictObject({
    traces: z
      .strictObject({
        enabled: z
          .boolean()
          .optional()
          .describe(
            "`true` sends traces, `false` never does. If omitted, traces are sent if `endpoint` or an OpenTelemetry environment variable is set.",
          ),
        endpoint: z
          .url({ protocol: /^https?$/ })
          .optional()
          .describe(
            "The complete URL of the collector, which receives OTLP over HTTP in JSON. Default: `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` or `OTEL_EXPORTER_OTLP_ENDPOINT`, otherwise `http://localhost:4318/v1/traces`.",
          ),
        ratio: z
          .number()
          .min(0)
          .max(1)
          .optional()
          .describe(
            "The share of traces to send, 0 to 1. It applies to traces that start in the gateway; for others, the caller decides.",
          ),
      })
      .prefault({})
      .describe("OpenTelemetry traces of calls and searches. They contain no arguments, queries or results."),
  })
  .describe("Telemetry of the gateway.");

export type ObservabilityOptions = z.output<typeof observabilityOptions>;
export type TracesOptions = ObservabilityOptions["traces"];
