import type { Installations } from "./install/installations.js";
import type { Reaper } from "./process/reap-client.js";
import type { Schedule } from "./schedule.js";
import type { Peers, UpstreamsParts } from "./types.js";
import type { Watches } from "./watches.js";

/** What a server's connection is given, beside what all share. */
export interface UpstreamParts extends UpstreamsParts {
  readonly server: string;
  readonly reaper: Reaper;
  readonly installations: Installations;
  readonly schedule: Schedule;
  /** Whether there may be calls whose clients can be asked something. */
  readonly peers: () => Peers;
  readonly watches: Watches;
  /** Whether a call is about to come. */
  readonly isExpected: () => boolean;
  readonly onOffersChanged: (kind: "prompts" | "resources") => void;
}
