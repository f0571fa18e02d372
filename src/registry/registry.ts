import type { Operation } from "./operation.js";

/** The format version of `operations.json`. It is increased with every incompatible change. */
export const SCHEMA_VERSION = "1.0.0";

/** The content of `operations.json`: all operations of the catalog at one point in time. */
export interface Registry {
  readonly schema_version: string;
  readonly last_verified_at: string;
  readonly operation_count: number;
  /** The operations by id (`adapter:tool`), sorted by id. */
  readonly operations: Readonly<Record<string, Operation>>;
}

export function toRegistry(operations: Iterable<readonly [id: string, operation: Operation]>, now: number): Registry {
  const sorted = [...operations].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    schema_version: SCHEMA_VERSION,
    last_verified_at: new Date(now).toISOString(),
    operation_count: sorted.length,
    operations: Object.fromEntries(sorted),
  };
}

/** Serializes the registry. Deterministic: the same catalog gives the same bytes, except for the timestamp. */
export function toRegistryText(registry: Registry): string {
  return `${JSON.stringify(registry, null, 2)}\n`;
}
