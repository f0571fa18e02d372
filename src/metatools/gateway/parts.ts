import type { Snapshot } from "../../catalog/snapshot.js";
import type { Execute } from "../../executor/execute.js";
import type { Policy } from "../../policy/policy.js";
import type { UpstreamState } from "../../upstreams/types.js";
import type { Discovery } from "../discovery.js";
import type { GatewayOptions } from "../options.js";
import type { Contract } from "./contract.js";
import type { Operations } from "./operations.js";

/** What the gateway's tools are made of. */
export interface GatewayParts {
  readonly discovery: Discovery;
  readonly snapshot: () => Snapshot;
  readonly policy: Policy;
  readonly execute: Execute;
  readonly upstreamState: (server: string) => UpstreamState;
  readonly options: GatewayOptions;
  /** The exported registry, absolute; undefined when none is named. */
  readonly registryFile?: string | undefined;
  readonly now: () => number;
  readonly elapsed: () => number;
  readonly newId: () => string;
}

/** The same with what is derived from it. */
export interface GatewayTable extends GatewayParts {
  readonly operations: Operations;
  /** Whether the exported registry, if there is one, still says what is so. */
  readonly contract: Contract;
  /** The name under which a tool of the gateway is offered. */
  readonly nameOf: NameOf;
}

export type GatewayName = "intent" | "execute" | "adapters" | "tools" | "reference";

export type NameOf = (tool: GatewayName) => string;

export function createNames({ dots }: GatewayOptions): NameOf {
  return (tool) => `gateway${dots ? "." : "_"}${tool}`;
}
