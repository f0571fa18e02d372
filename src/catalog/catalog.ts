// Server definitions, records from disk and live listings come in; one snapshot of all servers and tools goes out.
// It refuses to know how a server is asked, and what the tools are used for.
import type { DiscoveryError } from "../errors.js";
import type { ServerDefinition, ServerListing } from "../model/server.js";
import { canonicalJson } from "../util/json/canonical.js";
import type { CatalogDisk } from "./disk.js";
import { type Failures, retryAtOf, type ServerFailure } from "./failures.js";
import { type KnownTools, type Pinning, unread } from "./pinning.js";
import type { ServerKey } from "./pin-store.js";
import { type Doubts, NO_DOUBTS } from "./quarantine.js";
import { fingerprintOf, type ServerRecord, type ToolChange, toRecord } from "./record.js";
import {
  type CatalogServer,
  type KnownOfServer,
  type DecideTool,
  definitionsOf,
  type Snapshot,
  toCatalogServer,
  toSnapshot,
} from "./snapshot.js";

export interface CatalogParts {
  readonly definitions: readonly ServerDefinition[];
  readonly decide: DecideTool;
  /** Absent when `cache.enabled` is false. */
  readonly disk: CatalogDisk | undefined;
  /** Absent when `cache.enabled` is false. */
  readonly failures?: Failures | undefined;
  /** Absent when nobody cares whether definitions change. */
  readonly pinning?: Pinning | undefined;
  readonly now: () => number;
  readonly log: (message: string) => void;
  /** There are other tools than before. */
  readonly onChange?: () => void;
}

export interface Catalog {
  snapshot(): Snapshot;
  /** Reads what is on disk. Search and lists are empty before. */
  load(): Promise<void>;
  /** Rejects when the definitions are to be compared with what was approved and cannot be: what was known stays. */
  learn(server: string, listing: ServerListing): Promise<void>;
  /** Remembers the failure; what is known of the server stays. `count`: failures in a row. Resolves when it is stored. */
  fail(server: string, reason: DiscoveryError, count: number): Promise<void>;
  /** Looks again whether what is kept back of a server was approved meanwhile. */
  recheck(server: string): Promise<void>;
}

export function createCatalog(parts: CatalogParts): Catalog {
  const { definitions, decide, disk, failures, pinning = NO_PINNING, now, log } = parts;
  const servers = new Map<string, CatalogServer>();
  for (const definition of definitions) {
    // What is fixed is a person's own word, or ours.
    const doubts = pinning.enforces && definition.isFixed !== true ? unread(definition.manifest) : NO_DOUBTS;
    servers.set(
      definition.name,
      toCatalogServer(definition, { record: undefined, failure: undefined, doubts }, decide),
    );
  }
  let snapshot = toSnapshot([...servers.values()]);

  const publish = (): void => {
    const before = snapshot.tools;
    snapshot = toSnapshot([...servers.values()], snapshot);
    if (snapshot.tools !== before) parts.onChange?.();
  };
  /** The tools stay the same objects when nothing about them is new, so that what is built on them can be kept. */
  const put = (server: CatalogServer, known: KnownOfServer): void => {
    const isNews = !isSameList(server, known.record) || !isSameDoubt(server.doubts, known.doubts);
    const { name } = server.definition;
    servers.set(name, isNews ? toCatalogServer(server.definition, known, decide) : { ...server, ...known });
  };

  /** Servers that say something else by the time the answer is there are left alone. */
  const judge = async (records: ReadonlyMap<string, ServerRecord | undefined>): Promise<void> => {
    const asked = [...servers.values()].filter(
      ({ definition }) => definition.isFixed !== true && records.has(definition.name),
    );
    const known = asked.map(({ definition }) => toKnownTools(definition, records.get(definition.name)));
    const doubts = await pinning.recall(known);
    for (const [index, { definition, record: before }] of asked.entries()) {
      const server = servers.get(definition.name);
      if (server === undefined || server.record !== before) continue;
      const record = records.get(definition.name);
      const doubt = doubts[index] ?? unread(definitionsOf(definition, record));
      put(server, { ...server, record: marked(record, doubt, pinning), doubts: doubt });
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
  /** A server that has answered since, or failed in this process, is left alone. A time in the future is of a wrong clock. */
  const recallFailures = async (): Promise<void> => {
    const kept = await failures?.read(definitions.filter(({ isFixed }) => isFixed !== true).map(toKey));
    for (const [name, failure] of kept ?? []) {
      const { failure: known, record } = servers.get(name) ?? {};
      const isOver = (record?.listedAt ?? 0) > failure.failedAt || failure.failedAt > now();
      if (known === undefined && !isOver) setFailure(name, failure);
    }
  };

  return {
    snapshot: () => snapshot,

    async load() {
      const read = async ({ name, connection }: ServerDefinition) => await disk?.read(name, fingerprintOf(connection));
      const onDisk = await Promise.all(definitions.map(read));
      // What was learned meanwhile is newer.
      await judge(new Map(definitions.map(({ name }, index) => [name, servers.get(name)?.record ?? onDisk[index]])));
      await recallFailures();
    },

    async learn(name, listing) {
      const server = servers.get(name);
      if (server === undefined) return;
      const fingerprint = fingerprintOf(server.definition.connection);
      // Another process may have recorded changes meanwhile: what is on disk is the better past.
      const previous = (await disk?.read(name, fingerprint)) ?? server.record;
      const record = toRecord(listing, { server: name, fingerprint, previous, now: now() });
      const seen = pinning.see({ server: name, fingerprint }, record.tools);
      // A changed tool must not be seen before it is known to be one.
      const doubts = pinning.enforces ? await seen : NO_DOUBTS;
      report(record, previous, log);
      const kept = marked(record, doubts, pinning);
      const before = servers.get(name) ?? server;
      put(before, { record: kept, failure: undefined, retry: undefined, doubts });
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
      await failures?.write(toKey(server.definition), failure);
    },

    async recheck(name) {
      const server = servers.get(name);
      if (server !== undefined && pinning.enforces) await judge(new Map([[name, server.record]]));
    },
  };
}

const NO_PINNING: Pinning = {
  enforces: false,
  see: () => Promise.resolve(NO_DOUBTS),
  recall: (servers) => Promise.resolve(servers.map(() => NO_DOUBTS)),
};

function toKey({ name, connection }: ServerDefinition): ServerKey {
  return { server: name, fingerprint: fingerprintOf(connection) };
}

function toKnownTools(definition: ServerDefinition, record: ServerRecord | undefined): KnownTools {
  return {
    server: definition.name,
    fingerprint: fingerprintOf(definition.connection),
    tools: definitionsOf(definition, record),
    isManifest: record === undefined,
    unapproved: record?.unapproved,
  };
}

/** The record with what is to be looked up again by whoever reads it; nothing of what could not be told. */
function marked<R extends ServerRecord | undefined>(record: R, doubts: Doubts, { enforces }: Pinning): R {
  const isTold = enforces && ![...doubts.values()].some(({ reason }) => reason === "unknown");
  return record === undefined || !isTold ? record : { ...record, unapproved: [...doubts.keys()] };
}

/** The title belongs to it: search finds the tools by it, and keeps its index as long as the tools are the same ones. */
function isSameList({ definition, record: before }: CatalogServer, after: ServerRecord | undefined): boolean {
  if (before === after) return true;
  const [old, now] = [before, after].map((record) => definitionsOf(definition, record));
  return before?.title === after?.title && before !== undefined && canonicalJson(old) === canonicalJson(now);
}

function isSameDoubt(before: Doubts, after: Doubts): boolean {
  return before === after || canonicalJson([...before]) === canonicalJson([...after]);
}

function report(record: ServerRecord, previous: ServerRecord | undefined, log: CatalogParts["log"]): void {
  if (previous === undefined) return;
  for (const change of record.changes) if (change.at === record.listedAt) log(describeChange(record.server, change));
}

function describeChange(server: string, change: ToolChange): string {
  const what = change.members === undefined ? "" : ` (${change.members.join(", ")})`;
  return `${server}:${change.tool} was ${change.kind}${what}.`;
}
