// What happened comes in, one event at a time; how much of it there was goes out. It refuses to know who watches and why.
import { createCounter, createHistogram, type Family } from "./instruments.js";

/** How a call ended. */
export interface EndedCall {
  /** Empty when no such server is known: what callers make up is no label. */
  readonly server: string;
  /** Empty when the tool was not found. */
  readonly risk: string;
  readonly outcome: "ok" | "tool_error" | "dry_run" | "error";
  /** Of an error. */
  readonly code?: string;
  readonly seconds: number;
}

export interface EndedSearch {
  readonly outcome: "found" | "nothing" | "error";
  readonly seconds: number;
  /** Tokens of the answer, and of a list of all tools in its place. */
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
    help: "Calls of tools, by server, by what the tool is thought able to do, and by how they ended.",
  });
  const errors = createCounter({
    name: "anygpt_call_errors_total",
    help: "Calls that ended without an answer of the tool, by error code.",
  });
  const durations = createHistogram(
    { name: "anygpt_call_duration_seconds", help: "How long calls took, from the request to the answer." },
    CALL_SECONDS,
  );
  const searches = createCounter({ name: "anygpt_searches_total", help: "Searches, by how they ended." });
  const searchDurations = createHistogram(
    { name: "anygpt_search_duration_seconds", help: "How long searches took." },
    SEARCH_SECONDS,
  );
  const answered = createCounter({
    name: "anygpt_search_tokens_total",
    help: "Tokens of the answers to searches, estimated.",
  });
  const spared = createCounter({
    name: "anygpt_listing_tokens_total",
    help: "Tokens that a list of all tools would have had in place of each answer to a search, estimated.",
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
      spared.add({}, tokens.listing);
    },
    get callsInFlight() {
      return inFlight;
    },
    families: () => [calls, errors, durations, searches, searchDurations, answered, spared].map((one) => one.family()),
  };
}
