import type { CatalogServer } from "../../catalog/snapshot.js";
import type { PendingServer } from "../../catalog/starts.js";
import type { Stages } from "../../gateway/stages.js";
import type { JsonObject } from "../../model/json.js";
import { type DescribeStep, withHintText } from "../../model/next-steps.js";
import { type ListedServer, listDisabled, listServers } from "./listed-server.js";

/** Servers whose tools are missing from a result. */
export interface MissingServers {
  readonly pending: readonly PendingServer[];
  readonly failed: readonly CatalogServer[];
}

/** Finds servers whose tools are not known. `only`: the names of the servers to include; empty for all. */
export function missingServers({ discovery }: Stages, only: readonly string[]): MissingServers {
  const isWanted = (name: string): boolean => only.length === 0 || only.includes(name);
  return {
    pending: discovery.starts().filter(({ name }) => isWanted(name)),
    failed: discovery.failed().filter(({ definition }) => isWanted(definition.name)),
  };
}

/**
 * Throws for the first name that is neither an enabled nor a disabled server, with similar names in the hint. Starts no
 * server.
 */
export async function assertListed(names: readonly string[], stages: Stages): Promise<void> {
  const disabled = listDisabled(stages, names);
  const isKnown = (name: string): boolean =>
    stages.snapshot().servers.has(name) || disabled.some((server) => server.name === name);
  for (const name of names) if (!isKnown(name)) await stages.discovery.server(name);
}

/** Servers of the configuration, and those whose tools are not known. */
export interface ServerList {
  readonly enabled: readonly ListedServer[];
  readonly disabled: readonly ListedServer[];
  readonly missing: MissingServers;
}

export function readServerList(stages: Stages, describe: DescribeStep, only: readonly string[]): ServerList {
  return {
    enabled: listServers(stages, describe, only),
    disabled: listDisabled(stages, only),
    missing: missingServers(stages, only),
  };
}

export function toServerListJson(
  { enabled, disabled, missing }: ServerList,
  { discovery }: Stages,
  describe: DescribeStep,
): JsonObject {
  const starts = new Map(discovery.starts().map((start) => [start.name, start]));
  const off = disabled.map(({ name, transport, file = null }) => ({ name, transport, file }));
  return {
    servers: enabled.map((one) => toServerJson(one, starts.get(one.name))),
    ...(off.length === 0 ? {} : { disabled: off }),
    ...toMissingJson(missing, describe),
  };
}

/**
 * A server as `list --json` shows it. Unlike the list that agents read, it always has a `status`. `start`: how far the
 * start of the server is; undefined if its tools are known or the start failed.
 */
function toServerJson(server: ListedServer, start: PendingServer | undefined): JsonObject {
  const { name, description, toolCount, enabledCount, status, known, reason } = server;
  return {
    name,
    ...(description === "" ? {} : { description }),
    toolCount,
    ...(enabledCount === toolCount ? {} : { enabledCount }),
    status,
    // "disconnected" alone would look like a failure, but the gateway closes idle connections. The next call opens them
    // again.
    ...(status === "disconnected" && known && start === undefined ? { ready: true } : {}),
    ...(start !== undefined
      ? { pending: true, phase: start.phase, seconds: Math.floor(start.forMs / 1000) }
      : known
        ? {}
        : { known: false }),
    ...(reason === undefined ? {} : { reason }),
  };
}

/**
 * For each server that failed before the time `began`: the milliseconds from `began` to its next connection attempt.
 */
export function waitsForRetry({ discovery }: Stages, began: number): number[] {
  return discovery
    .failed()
    .flatMap(({ retry }) =>
      retry === undefined || retry.failedAt >= began || retry.at <= began ? [] : [retry.at - began],
    );
}

export function toMissingJson({ pending, failed }: MissingServers, describe: DescribeStep): JsonObject {
  return {
    ...(pending.length > 0 ? { pending: pending.map(({ name }) => name) } : {}),
    ...(failed.length > 0 ? { failed: failed.flatMap((server) => toFailed(server, describe)) } : {}),
  };
}

function toFailed({ definition, failure, retry }: CatalogServer, describe: DescribeStep): JsonObject[] {
  if (failure === undefined) return [];
  const times =
    retry === undefined ? {} : { failures: retry.count, failed_at: toTime(retry.failedAt), retry_at: toTime(retry.at) };
  return [{ server: definition.name, reason: withHintText(failure, describe), ...times }];
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
