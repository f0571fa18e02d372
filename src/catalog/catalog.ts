// Input: server definitions, stored records and tool lists from servers. Output: one snapshot of all servers and tools.
// The catalog neither connects to servers nor calls tools.
import type { DiscoveryError } from "../errors.js";
import type { ServerDefinition, ServerListing } from "../model/server.js";
import type { CatalogDisk } from "./disk.js";
import { type FailureKey, type FailureMemory, retryAtOf, type ServerFailure } from "./failure-memory.js";
import { type KnownTools, type Pinning, quarantineAll } from "./pinning.js";
import type { ServerKey } from "./pin-store.js";
import { type Quarantines, NO_QUARANTINES } from "./quarantine.js";
import { connectionFingerprint, type ServerRecord, type ToolChange, toRecord } from "./record.js";
import {
  type CatalogServer,
  type ServerState,
  type DecideTool,
  definitionsOf,
  type Snapshot,
  toCatalogServer,
  toSnapshot,
} from "./snapshot.js";
import { isEqualJson } from "../util/json/is-equal.js";

export interface CatalogParts {
  readonly definitions: readonly ServerDefinition[];
  readonly decide: DecideTool;
  /** The stored tool lists. Undefined if the option `cache.enabled` is false. */
  readonly disk: CatalogDisk | undefined;
  /** The stored failures of servers. Undefined if the option `cache.enabled` is false. */
  readonly failures?: FailureMemory | undefined;
  /** Undefined if changes of tool definitions are not tracked. */
  readonly pinning?: Pinning | undefined;
  /**
   * Returns the values besides the connection settings on which a failure of the server may depend, such as environment
   * variables. If they change, a stored failure of the server is ignored.
   */
  readonly circumstances?: ((server: string) => string) | undefined;
  readonly now: () => number;
  readonly log: (message: string) => void;
  /** Called when the tools in the snapshot have changed. */
  readonly onChange?: () => void;
}

export interface Catalog {
  snapshot(): Snapshot;
  /** Reads the stored tool lists from disk. Before that, the catalog has only the tools from the configuration. */
  load(): Promise<void>;
  /**
   * Stores a new tool list of a server. If pinning is enforced and the pins cannot be read, it rejects and keeps the
   * previous tools.
   */
  learn(server: string, listing: ServerListing): Promise<void>;
  /**
   * Records that a request for the tool list of a server failed; the known tools are kept. `count`: the number of
   * consecutive failures.
   */
  fail(server: string, reason: DiscoveryError, count: number): Promise<void>;
  /** Checks again whether a user has approved the quarantined tools of a server. */
  recheck(server: string): Promise<void>;
}

export function createCatalog(parts: CatalogParts): Catalog {
  const { definitions, decide, disk, failures, pinning = NO_PINNING, now, log } = parts;
  const servers = new Map<string, CatalogServer>();
  for (const definition of definitions) {
    // Tools of a server with `isFixed` come from the configuration or the gateway itself, so they need no approval.
    const quarantines =
      pinning.enforces && definition.isFixed !== true ? quarantineAll(definition.manifest) : NO_QUARANTINES;
    servers.set(
      definition.name,
      toCatalogServer(definition, { record: undefined, failure: undefined, quarantines }, decide),
    );
  }
  let snapshot = toSnapshot([...servers.values()]);

  const publish = (): void => {
    const before = snapshot.tools;
    snapshot = toSnapshot([...servers.values()], snapshot);
    if (snapshot.tools !== before) parts.onChange?.();
  };
  /**
   * Replaces the state of a server. If nothing changed, it keeps the same tool objects, so that derived data such as
   * the search index stays valid.
   */
  const put = (server: CatalogServer, known: ServerState): void => {
    const isChanged = !isSameList(server, known.record) || !areSameQuarantines(server.quarantines, known.quarantines);
    const { name } = server.definition;
    servers.set(name, isChanged ? toCatalogServer(server.definition, known, decide) : { ...server, ...known });
  };

  /** Quarantines the unapproved tools. Skips servers whose record changed while their pins were read. */
  const applyPins = async (records: ReadonlyMap<string, ServerRecord | undefined>): Promise<void> => {
    const checked = [...servers.values()].filter(
      ({ definition }) => definition.isFixed !== true && records.has(definition.name),
    );
    const known = checked.map(({ definition }) => toKnownTools(definition, records.get(definition.name)));
    const quarantines = await pinning.recall(known);
    for (const [index, { definition, record: before }] of checked.entries()) {
      const server = servers.get(definition.name);
      if (server === undefined || server.record !== before) continue;
      const record = records.get(definition.name);
      const quarantine = quarantines[index] ?? quarantineAll(definitionsOf(definition, record));
      put(server, { ...server, record: marked(record, quarantine, pinning), quarantines: quarantine });
    }
    publish();
  };

  const setFailure = (name: string, { error, failedAt, count }: ServerFailure): void => {
    const server = servers.get(name);
    if (server === undefined) return;
    const retry = { failedAt, count, at: retryAtOf({ failedAt, count }) };
    servers.set(name, { ...server, failure: error, retry });
    publish();
  };
  const toFailureKey = (definition: ServerDefinition): FailureKey => ({
    ...toKey(definition),
    circumstances: parts.circumstances?.(definition.name),
  });
  /**
   * Restores stored failures, except those of servers that have answered since or have failed in this process. A
   * failure time in the future comes from a wrong clock and is ignored.
   */
  const recallFailures = async (): Promise<void> => {
    const kept = await failures?.read(definitions.filter(({ isFixed }) => isFixed !== true).map(toFailureKey));
    for (const [name, failure] of kept ?? []) {
      const { failure: known, record } = servers.get(name) ?? {};
      const isOver = (record?.listedAt ?? 0) > failure.failedAt || failure.failedAt > now();
      if (known === undefined && !isOver) setFailure(name, failure);
    }
  };

  return {
    snapshot: () => snapshot,

    async load() {
      const read = async ({ name, connection }: ServerDefinition) =>
        await disk?.read(name, connectionFingerprint(connection));
      const onDisk = await Promise.all(definitions.map(read));
      // A record that this process received from the server is newer than the one on disk.
      await applyPins(
        new Map(definitions.map(({ name }, index) => [name, servers.get(name)?.record ?? onDisk[index]])),
      );
      await recallFailures();
    },

    async learn(name, listing) {
      const server = servers.get(name);
      if (server === undefined) return;
      const fingerprint = connectionFingerprint(server.definition.connection);
      // Another process may have recorded changes, so the record on disk has the more complete history.
      const previous = (await disk?.read(name, fingerprint)) ?? server.record;
      const record = toRecord(listing, { server: name, fingerprint, previous, now: now() });
      const seen = pinning.see({ server: name, fingerprint }, record.tools);
      // A changed tool must not be visible before its change is detected.
      const quarantines = pinning.enforces ? await seen : NO_QUARANTINES;
      report(record, previous, log);
      const kept = marked(record, quarantines, pinning);
      const before = servers.get(name) ?? server;
      put(before, { record: kept, failure: undefined, retry: undefined, quarantines });
      publish();
      await disk?.write(kept);
      if (before.failure !== undefined) await failures?.remove({ server: name, fingerprint });
      await seen;
    },

    async fail(name, reason, count) {
      const server = servers.get(name);
      if (server === undefined) return;
      const failure = { error: reason, failedAt: now(), count };
      setFailure(name, failure);
      await failures?.write(toFailureKey(server.definition), failure);
    },

    async recheck(name) {
      const server = servers.get(name);
      if (server !== undefined && pinning.enforces) await applyPins(new Map([[name, server.record]]));
    },
  };
}

const NO_PINNING: Pinning = {
  enforces: false,
  see: () => Promise.resolve(NO_QUARANTINES),
  recall: (servers) => Promise.resolve(servers.map(() => NO_QUARANTINES)),
};

function toKey({ name, connection }: ServerDefinition): ServerKey {
  return { server: name, fingerprint: connectionFingerprint(connection) };
}

function toKnownTools(definition: ServerDefinition, record: ServerRecord | undefined): KnownTools {
  return {
    server: definition.name,
    fingerprint: connectionFingerprint(definition.connection),
    tools: definitionsOf(definition, record),
    isManifest: record === undefined,
    unapproved: record?.unapproved,
  };
}

/**
 * Adds the names of unapproved tools to the record, so that these tools are checked again when the record is loaded.
 * Adds nothing if the pins could not be read.
 */
function marked<R extends ServerRecord | undefined>(record: R, quarantines: Quarantines, { enforces }: Pinning): R {
  const isChecked = enforces && ![...quarantines.values()].some(({ reason }) => reason === "unknown");
  return record === undefined || !isChecked ? record : { ...record, unapproved: [...quarantines.keys()] };
}

/**
 * Whether two records have the same tools and title. The title counts too, because search indexes it and rebuilds its
 * index only if the tool objects change.
 */
function isSameList({ definition, record: before }: CatalogServer, after: ServerRecord | undefined): boolean {
  if (before === after) return true;
  const [old, now] = [before, after].map((record) => definitionsOf(definition, record));
  return before?.title === after?.title && before !== undefined && isEqualJson(old, now);
}

function areSameQuarantines(before: Quarantines, after: Quarantines): boolean {
  return before === after || isEqualJson([...before], [...after]);
}

function report(record: ServerRecord, previous: ServerRecord | undefined, log: CatalogParts["log"]): void {
  if (previous === undefined) return;
  for (const change of record.changes) if (change.at === record.listedAt) log(describeChange(record.server, change));
}

function describeChange(server: string, change: ToolChange): string {
  const what = change.members === undefined ? "" : ` (${change.members.join(", ")})`;
  return `${server}:${change.tool} was ${change.kind}${what}.`;
}
