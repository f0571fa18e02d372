import { estimateTokenCount } from "tokenx";
import type { Snapshot } from "../../catalog/snapshot.js";
import { toDiscoveryError } from "../../errors.js";
import type { Discovery, SearchRequest } from "../../metatools/discovery.js";
import { toSearchAnswer } from "../../metatools/search-answer.js";
import { describeDiscoveryStep } from "../../metatools/next-steps.js";
import type { FoundTools } from "../../metatools/found-tools.js";
import { parseTraceparent } from "../../tracing/trace-context.js";
import { createListingTokens } from "./listing-tokens.js";
import type { ObservationSinks } from "./sinks.js";

/** Wraps `discovery` so that its searches are reported to metrics, traces and the log. */
export function observeDiscovery(sinks: ObservationSinks, discovery: Discovery, snapshot: () => Snapshot): Discovery {
  const { metrics, elapsed } = sinks;
  const listing = createListingTokens(snapshot);

  const search = async (request: SearchRequest): Promise<FoundTools> => {
    const observer = observeSearch(request, sinks);
    const began = elapsed();
    try {
      const found = await discovery.search(request);
      const seconds = (elapsed() - began) / 1000;
      observer.ended(found.hits.length);
      if (metrics !== undefined) {
        const answer = estimateTokenCount(JSON.stringify(toSearchAnswer(found, describeDiscoveryStep)));
        const outcome = found.fit !== "none" ? "found" : "nothing";
        metrics.searchEnded({ outcome, seconds, tokens: { answer, listing: listing() } });
      }
      return found;
    } catch (error) {
      metrics?.searchEnded({ outcome: "error", seconds: (elapsed() - began) / 1000 });
      observer.failed(toDiscoveryError(error).code);
      throw error;
    }
  };
  return { ...discovery, search };
}

/** Observes one search. The query may be confidential, so neither the log nor a trace contains it. */
function observeSearch({ context }: SearchRequest, { tracing, log, elapsed }: ObservationSinks) {
  const began = elapsed();
  const parent = parseTraceparent(context?.meta?.["traceparent"]);
  const span = tracing?.begin("search_tools", { kind: "server", parent });
  const report = (what: string, facts: object): void => {
    const ms = elapsed() - began;
    log?.(`Search: ${what}, ${Math.round(ms)} ms.`, {
      level: "debug",
      ...facts,
      duration_ms: Math.round(ms * 1000) / 1000,
    });
  };
  return {
    ended(hits: number): void {
      span?.note({ "anygpt.hits": hits });
      span?.end();
      report(`${hits} found`, { hits });
    },
    failed(code: string): void {
      span?.end(code);
      report(code, { code });
    },
  };
}
