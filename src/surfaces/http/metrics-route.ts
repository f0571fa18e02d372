import { z } from "zod";
import type { Route } from "./route.js";
import { defineRoute } from "./route.js";

/** What a caller needs to read how the gateway is used, and by how much. */
export const METRICS_SCOPE = "anygpt:metrics";

export function metricsRoute(metrics: () => Promise<string>): Route {
  return defineRoute({
    method: "GET",
    at: "/metrics",
    operationId: "metrics",
    summary: "How the gateway is used, as Prometheus reads it.",
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
