import type { Snapshot } from "../../catalog/snapshot.js";
import type { Execute } from "../../executor/execute.js";
import type { DescribeStep } from "../../model/next-steps.js";
import type { Policy } from "../../policy/policy.js";
import type { UpstreamState } from "../../upstreams/types.js";
import type { Discovery } from "../discovery.js";
import type { GatewayOptions } from "../options.js";
import type { RegistryComparison } from "./registry-comparison.js";
import type { Operations } from "./operations.js";

/** The dependencies of the meta-tools of the profile `gateway`. */
export interface GatewayParts {
  readonly discovery: Discovery;
  readonly snapshot: () => Snapshot;
  readonly policy: Policy;
  readonly execute: Execute;
  readonly upstreamState: (server: string) => UpstreamState;
  readonly options: GatewayOptions;
  /** The absolute path of the exported registry file; undefined if none is configured. */
  readonly registryFile?: string | undefined;
  readonly now: () => number;
  readonly elapsed: () => number;
  readonly newId: () => string;
}

/** The dependencies of the meta-tools, and the objects that are derived from them. */
export interface GatewayTable extends GatewayParts {
  readonly operations: Operations;
  /** Compares the exported registry file, if one is configured, with the current catalog. */
  readonly registryComparison: RegistryComparison;
  /** The name under which clients see a meta-tool. */
  readonly nameOf: NameOf;
  /** Renders next steps as calls of the meta-tools of the profile `gateway`. */
  readonly describeStep: DescribeStep;
}

export type GatewayName = "intent" | "execute" | "adapters" | "tools" | "reference";

export type NameOf = (tool: GatewayName) => string;

export function createNames({ dots }: GatewayOptions): NameOf {
  return (tool) => `gateway${dots ? "." : "_"}${tool}`;
}
