// Who wants to know of calls and searches. Where nobody does, nothing is loaded, wrapped or counted.
import { randomBytes } from "node:crypto";
import type { Snapshot } from "../catalog/snapshot.js";
import type { Execute } from "../executor/execute.js";
import type { Discovery } from "../metatools/discovery.js";
import type { Metrics } from "../metrics/metrics.js";
import type { Place } from "../place.js";
import type { Tracing } from "../tracing/open-tracing.js";
import type { TracesOptions } from "../tracing/options.js";
import { toTraceSettings, type TraceSettings } from "../tracing/settings.js";
import { VERSION } from "../version.js";
import type { ObserveParts, Passed } from "./observe-execute.js";

export interface Observers {
  /** Calls are carried out as `make` makes it of the parts, and watched. */
  execute(parts: ObserveParts, make: (passed: Passed) => Execute): Execute;
  /** The same, with its searches watched. */
  discovery(discovery: Discovery, snapshot: () => Snapshot): Discovery;
  /** Sends what is left to be sent, for a moment. */
  close(): Promise<void>;
}

export interface ObserveOptions {
  readonly metrics?: Metrics;
  /** Whether every call and every search is logged, at the level `debug`. */
  readonly logsCalls?: boolean;
}

/** Undefined when nobody wants to know. */
export async function openObservers(
  place: Place,
  { metrics, logsCalls = false }: ObserveOptions,
  traces?: TracesOptions,
): Promise<Observers | undefined> {
  const settings = toTraceSettings(place.env, traces);
  if (settings === undefined && metrics === undefined && !logsCalls) return undefined;
  const [{ observeDiscovery }, { observeExecute }, tracing] = await Promise.all([
    import("./observe-discovery.js"),
    import("./observe-execute.js"),
    settings && openTraces(settings, place),
  ]);
  const watchers = {
    elapsed: place.elapsed,
    ...(metrics && { metrics }),
    ...(tracing && { tracing }),
    ...(logsCalls ? { log: place.log } : {}),
  };
  return {
    execute: (parts, make) => observeExecute(watchers, parts, make),
    discovery: (discovery, snapshot) => observeDiscovery(watchers, discovery, snapshot),
    close: async () => await tracing?.close(),
  };
}

async function openTraces(settings: TraceSettings, { env, now, elapsed, log, secrets }: Place): Promise<Tracing> {
  for (const value of Object.values(settings.headers)) secrets.note(value);
  const { openTracing } = await import("../tracing/open-tracing.js");
  return openTracing({ settings, version: VERSION, env, now, elapsed, randomBytes, schedule, log });
}

function schedule(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs).unref();
  return () => clearTimeout(timer);
}
