// The stages come in, what agents are offered goes out: five tools of one profile or the other, or all of them.
import { randomUUID } from "node:crypto";
import type { Snapshot } from "./catalog/snapshot.js";
import type { Config } from "./config/options.js";
import type { Execution } from "./execution.js";
import type { Discovery } from "./metatools/discovery.js";
import { discoveryProfile } from "./metatools/discovery-profile.js";
import { createFullMode } from "./metatools/full-mode.js";
import { createGatewayProfile, type GatewayProfile } from "./metatools/gateway/profile.js";
import type { MetaTool } from "./metatools/meta-tool.js";
import { type Offered, offerAll, offerProfile } from "./metatools/offered.js";
import { withNotes } from "./metatools/with-notes.js";
import type { Place } from "./place.js";
import type { Upstreams } from "./upstreams/types.js";

export interface Profiles {
  /** The five of the profile `discovery`: what the command line answers with `--json`. */
  readonly metaTools: readonly MetaTool[];
  readonly gateway: GatewayProfile;
  /** What the configuration wants agents to see. */
  readonly offered: Offered;
}

export interface ProfileParts {
  readonly config: Config;
  readonly place: Place;
  readonly discovery: Discovery;
  readonly snapshot: () => Snapshot;
  readonly execution: Execution;
  readonly upstreams: Upstreams;
  /** What an agent's person should know. */
  readonly notes: () => readonly string[];
}

export function createProfiles(parts: ProfileParts): Profiles {
  const { config, place, discovery, snapshot, upstreams, notes } = parts;
  const { execute, policy } = parts.execution;
  const upstreamState: Upstreams["state"] = (server) => upstreams.state(server);
  const noted = (metaTool: MetaTool, name: string): MetaTool =>
    metaTool.name.endsWith(name) ? withNotes(metaTool, notes) : metaTool;
  const metaTools = discoveryProfile({ discovery, execute, upstreamState }).map((one) =>
    noted(one, "list_mcp_servers"),
  );
  const gateway = createGatewayProfile({
    discovery,
    snapshot,
    policy,
    execute,
    upstreamState,
    options: config.gateway,
    registryFile: config.gateway.registry,
    now: place.now,
    elapsed: place.elapsed,
    newId: randomUUID,
  });
  const lazy = config.profile === "gateway" ? gateway.metaTools.map((one) => noted(one, "adapters")) : metaTools;
  const offered = config.mode === "full" ? offerAll(createFullMode({ snapshot, execute })) : offerProfile(lazy);
  return { metaTools, gateway, offered };
}
