import type { Installations } from "./install/installations.js";
import type { MessageMonitor } from "./message-monitor.js";
import type { Reaper } from "./process/reap-client.js";
import type { Schedule } from "./schedule.js";
import type { Peers, UpstreamsParts } from "./types.js";
import type { Watches } from "./watches.js";

/** The parts of one server's connection, in addition to those that all connections share. */
export interface UpstreamParts extends UpstreamsParts {
  readonly server: string;
  readonly reaper: Reaper;
  readonly installations: Installations;
  readonly schedule: Schedule;
  readonly monitor: MessageMonitor;
  /** Returns the number of clients that servers may send requests to. */
  readonly peers: () => Peers;
  readonly watches: Watches;
  /** Whether a call to this server has been announced with `expectCall`. */
  readonly isExpected: () => boolean;
  readonly onOffersChanged: (kind: "prompts" | "resources") => void;
}
