// The stages come in, what agents are offered goes out: five tools of one profile or the other, or all of them.
import type { Snapshot } from "./catalog/snapshot.js";
import type { Config } from "./config/options.js";
import type { Execution } from "./execution.js";
import type { Discovery } from "./metatools/discovery.js";
import { discoveryProfile } from "./metatools/discovery-profile.js";
import type { GatewayProfile } from "./metatools/gateway/profile.js";
import type { MetaTool } from "./metatools/meta-tool.js";
import { type Offered, offerAll, offerProfile } from "./metatools/offered.js";
import { withNotes } from "./metatools/with-notes.js";
import type { Place } from "./place.js";
import type { Upstreams } from "./upstreams/types.js";
import { newRequestId } from "./util/request-id.js";

export interface Profiles {
  /** The five of the profile `discovery`: what the command line answers with `--json`. */
  readonly metaTools: readonly MetaTool[];
  /** Where the configuration wants that profile. */
  readonly gateway: GatewayProfile | undefined;
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

/** What a configuration does not want is not loaded. */
export async function openProfiles(parts: ProfileParts): Promise<Profiles> {
  const { config, discovery, snapshot, upstreams, notes } = parts;
  const { execute } = parts.execution;
  const upstreamState: Upstreams["state"] = (server) => upstreams.state(server);
  const metaTools = discoveryProfile({ discovery, execute, upstreamState }).map((one) =>
    one.name === "list_mcp_servers" ? withNotes(one, notes) : one,
  );
  const gateway = config.profile === "gateway" ? await openGateway(parts, upstreamState) : undefined;
  if (config.mode === "full") {
    const { createFullMode } = await import("./metatools/full-mode.js");
    return { metaTools, gateway, offered: offerAll(createFullMode({ snapshot, execute })) };
  }
  const lazy = gateway?.metaTools.map((one) => (one.name.endsWith("adapters") ? withNotes(one, notes) : one));
  return { metaTools, gateway, offered: offerProfile(lazy ?? metaTools) };
}

async function openGateway(parts: ProfileParts, upstreamState: Upstreams["state"]): Promise<GatewayProfile> {
  const { config, place, discovery, snapshot, execution } = parts;
  const { createGatewayProfile } = await import("./metatools/gateway/profile.js");
  return createGatewayProfile({
    discovery,
    snapshot,
    policy: execution.policy,
    execute: execution.execute,
    upstreamState,
    options: config.gateway,
    registryFile: config.gateway.registry,
    now: place.now,
    elapsed: place.elapsed,
    newId: newRequestId,
  });
}
