import { z } from "zod";
import type { Route } from "./route.js";
import { defineRoute } from "./route.js";

/** The scope that a token needs to read metrics. */
export const METRICS_SCOPE = "anygpt:metrics";

export function metricsRoute(metrics: () => Promise<string>): Route {
  return defineRoute({
    method: "GET",
    at: "/metrics",
    operationId: "metrics",
    summary: "Read usage metrics in the Prometheus format.",
    scope: METRICS_SCOPE,
    path: {},
    query: {},
    header: {},
    answers: z.string(),
    run: async () => ({
      status: 200,
      contentType: "text/plain; version=0.0.4; charset=utf-8",
      body: await metrics(),
    }),
  });
}
