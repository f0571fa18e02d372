// Creates the tools that agents see: the five meta-tools of a profile or, in full mode, the tools of all servers.
import type { Snapshot } from "../catalog/snapshot.js";
import type { Config } from "../config/options.js";
import type { Execution } from "./execution.js";
import { createResultBudget } from "../executor/fit-result.js";
import type { Tool } from "../model/tool.js";
import type { Discovery } from "../metatools/discovery.js";
import { discoveryProfile } from "../metatools/discovery-profile.js";
import type { GatewayProfile } from "../metatools/gateway/profile.js";
import type { MetaTool } from "../metatools/meta-tool.js";
import { describeDiscoveryStep } from "../metatools/next-steps.js";
import { type Offered, offerAll, offerProfile } from "../metatools/offered.js";
import { withNotes } from "../metatools/with-notes.js";
import { withRequestIds } from "../metatools/with-request-ids.js";
import type { RuntimeEnvironment } from "./runtime-environment.js";
import type { Upstreams } from "../upstreams/types.js";
import { newRequestId } from "../util/request-id.js";

export interface Profiles {
  /** The five meta-tools of the profile `discovery`. The CLI prints their results for `--json`. */
  readonly metaTools: readonly MetaTool[];
  /** The meta-tools of the profile `gateway`; undefined if the configuration uses another profile. */
  readonly gateway: GatewayProfile | undefined;
  /** The tools that agents see with this configuration. */
  readonly offered: Offered;
}

export interface OpenProfilesParts {
  readonly config: Config;
  readonly runtime: RuntimeEnvironment;
  readonly discovery: Discovery;
  readonly snapshot: () => Snapshot;
  readonly execution: Execution;
  readonly upstreams: Upstreams;
  /** Returns notes for the user that are added to the list of servers. */
  readonly notes: () => readonly string[];
}

/** Creates the tools for the profile and mode of the configuration. Loads only the code that they need. */
export async function openProfiles(parts: OpenProfilesParts): Promise<Profiles> {
  const { config, discovery, snapshot, upstreams, notes } = parts;
  const execute = withRequestIds(parts.execution.execute, newRequestId);
  const upstreamState: Upstreams["state"] = (server) => upstreams.state(server);
  const metaTools = discoveryProfile({ discovery, execute, upstreamState }).map((one) =>
    one.name === "list_mcp_servers" ? withNotes(one, notes) : one,
  );
  const gateway = config.profile === "gateway" ? await openGateway(parts, upstreamState) : undefined;
  if (config.mode === "full") {
    const tokensFor = createResultBudget(config.results);
    const hasBudget = (tool: Tool): boolean => tokensFor(tool) > 0;
    const { createFullMode } = await import("../metatools/full-mode.js");
    return { metaTools, gateway, offered: offerAll(createFullMode({ snapshot, execute, hasBudget })) };
  }
  const gatewayTools = gateway?.metaTools.map((one) => (one.name.endsWith("adapters") ? withNotes(one, notes) : one));
  return {
    metaTools,
    gateway,
    offered: offerProfile(gatewayTools ?? metaTools, gateway?.describeStep ?? describeDiscoveryStep),
  };
}

async function openGateway(parts: OpenProfilesParts, upstreamState: Upstreams["state"]): Promise<GatewayProfile> {
  const { config, runtime, discovery, snapshot, execution } = parts;
  const { createGatewayProfile } = await import("../metatools/gateway/profile.js");
  return createGatewayProfile({
    discovery,
    snapshot,
    policy: execution.policy,
    execute: execution.execute,
    upstreamState,
    options: config.gateway,
    registryFile: config.gateway.registry,
    now: runtime.now,
    elapsed: runtime.elapsed,
    newId: newRequestId,
  });
}
