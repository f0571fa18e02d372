// Reports calls and searches to metrics, traces and the log. If all three are disabled, no code for them is loaded.
import { randomBytes } from "node:crypto";
import type { Snapshot } from "../../catalog/snapshot.js";
import type { ObserveCall } from "../../executor/call-observer.js";
import type { Discovery } from "../../metatools/discovery.js";
import type { Metrics } from "../../metrics/metrics.js";
import type { RuntimeEnvironment } from "../runtime-environment.js";
import type { Tracing } from "../../tracing/open-tracing.js";
import type { TracesOptions } from "../../tracing/options.js";
import { toTraceSettings, type TraceSettings } from "../../tracing/settings.js";
import { VERSION } from "../../version.js";

export interface Observers {
  readonly call: ObserveCall;
  /** Wraps `discovery` so that its searches are reported. */
  discovery(discovery: Discovery, snapshot: () => Snapshot): Discovery;
  /** Sends the remaining traces, within a short time limit. */
  close(): Promise<void>;
}

export interface ObserveOptions {
  readonly metrics?: Metrics;
  /** Whether every call and every search is logged (log level `debug`). */
  readonly logsCalls?: boolean;
}

/** Creates the observers. Undefined if metrics, traces and the call log are all disabled. */
export async function openObservers(
  runtime: RuntimeEnvironment,
  { metrics, logsCalls = false }: ObserveOptions,
  traces?: TracesOptions,
): Promise<Observers | undefined> {
  const settings = toTraceSettings(runtime.env, traces);
  if (settings === undefined && metrics === undefined && !logsCalls) return undefined;
  const [{ observeDiscovery }, { observeCall }, tracing] = await Promise.all([
    import("./observe-discovery.js"),
    import("./observe-call.js"),
    settings && openTraces(settings, runtime),
  ]);
  const sinks = {
    elapsed: runtime.elapsed,
    ...(metrics && { metrics }),
    ...(tracing && { tracing }),
    ...(logsCalls ? { log: runtime.log } : {}),
  };
  return {
    call: (call, requestId) => observeCall(call, requestId, sinks),
    discovery: (discovery, snapshot) => observeDiscovery(sinks, discovery, snapshot),
    close: async () => await tracing?.close(),
  };
}

async function openTraces(
  settings: TraceSettings,
  { env, now, elapsed, log, secrets }: RuntimeEnvironment,
): Promise<Tracing> {
  for (const value of Object.values(settings.headers)) secrets.note(value);
  const { openTracing } = await import("../../tracing/open-tracing.js");
  return openTracing({ settings, version: VERSION, env, now, elapsed, randomBytes, schedule, log });
}

function schedule(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs).unref();
  return () => clearTimeout(timer);
}
