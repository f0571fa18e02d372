import type { ServerReading } from "./reading.js";

/** Sorts by calls per second, then by calls, then by name. */
export function byActivity(servers: readonly ServerReading[]): ServerReading[] {
  return servers.toSorted(
    (one, other) =>
      other.perSecond - one.perSecond ||
      other.calls - one.calls ||
      (one.name < other.name ? -1 : Number(one.name > other.name)),
  );
}
