// Counts calls and searches, and provides the counters and histograms for `/metrics`.
import { createCounter, createHistogram, type Family } from "./instruments.js";

/** A call that ended, as counted by the metrics. */
export interface EndedCall {
  /** The server's name. Empty if the server is unknown: names that callers invent must not become labels. */
  readonly server: string;
  /** The tool's risk. Empty if the tool was not found. */
  readonly risk: string;
  readonly outcome: "ok" | "tool_error" | "dry_run" | "error";
  /** The error code. Set only if the call failed. */
  readonly code?: string;
  readonly seconds: number;
}

export interface EndedSearch {
  readonly outcome: "found" | "nothing" | "error";
  readonly seconds: number;
  /** Estimated number of tokens of the search result, and of the complete tool list that it replaces. */
  readonly tokens?: { readonly answer: number; readonly listing: number };
}

export interface Metrics {
  callBegan(): void;
  callEnded(call: EndedCall): void;
  searchEnded(search: EndedSearch): void;
  readonly callsInFlight: number;
  families(): readonly Family[];
}

const CALL_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const SEARCH_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5];

export function createMetrics(): Metrics {
  const calls = createCounter({
    name: "anygpt_calls_total",
    help: "Tool calls by server, risk and outcome.",
  });
  const errors = createCounter({
    name: "anygpt_call_errors_total",
    help: "Calls that failed without a result from the tool, by error code.",
  });
  const durations = createHistogram(
    { name: "anygpt_call_duration_seconds", help: "Duration of calls from request to answer." },
    CALL_SECONDS,
  );
  const searches = createCounter({ name: "anygpt_searches_total", help: "Searches by outcome." });
  const searchDurations = createHistogram(
    { name: "anygpt_search_duration_seconds", help: "Duration of searches." },
    SEARCH_SECONDS,
  );
  const answered = createCounter({
    name: "anygpt_search_tokens_total",
    help: "Estimated tokens of search answers.",
  });
  const listed = createCounter({
    name: "anygpt_listing_tokens_total",
    help: "Estimated tokens of a list of all tools, summed over the search answers that replaced it.",
  });
  let inFlight = 0;

  return {
    callBegan() {
      inFlight += 1;
    },
    callEnded({ server, risk, outcome, code, seconds }) {
      inFlight -= 1;
      calls.add({ server, risk, outcome });
      durations.observe({ server }, seconds);
      if (code !== undefined) errors.add({ server, code });
    },
    searchEnded({ outcome, seconds, tokens }) {
      searches.add({ outcome });
      searchDurations.observe({}, seconds);
      if (tokens === undefined) return;
      answered.add({}, tokens.answer);
      listed.add({}, tokens.listing);
    },
    get callsInFlight() {
      return inFlight;
    },
    families: () => [calls, errors, durations, searches, searchDurations, answered, listed].map((one) => one.family()),
  };
}
