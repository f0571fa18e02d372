// Server definitions, records from disk and live listings come in; one snapshot of all servers and tools goes out.
// It refuses to know how a server is asked, and what the tools are used for.
import type { DiscoveryError } from "../errors.js";
import type { ServerDefinition, ServerListing } from "../model/server.js";
import { canonicalJson } from "../util/canonical-json.js";
import type { CatalogDisk } from "./disk.js";
import { fingerprintOf, type ServerRecord, type ToolChange, toRecord } from "./record.js";
import { type CatalogServer, type DecideTool, type Snapshot, toCatalogServer, toSnapshot } from "./snapshot.js";

export interface CatalogParts {
  readonly definitions: readonly ServerDefinition[];
  readonly decide: DecideTool;
  /** Absent when `cache.enabled` is false. */
  readonly disk: CatalogDisk | undefined;
  readonly now: () => number;
  readonly log: (message: string) => void;
}

export interface Catalog {
  snapshot(): Snapshot;
  /** Reads what is on disk. Search and lists are empty before. */
  load(): Promise<void>;
  learn(server: string, listing: ServerListing): Promise<void>;
  fail(server: string, reason: DiscoveryError): void;
}

export function createCatalog(parts: CatalogParts): Catalog {
  const { definitions, decide, disk, now, log } = parts;
  const servers = new Map<string, CatalogServer>();
  for (const definition of definitions) {
    servers.set(definition.name, toCatalogServer(definition, { record: undefined, failure: undefined }, decide));
  }
  let snapshot = toSnapshot([...servers.values()]);

  const put = (server: CatalogServer): void => {
    servers.set(server.definition.name, server);
  };
  const publish = (): void => {
    snapshot = toSnapshot([...servers.values()], snapshot);
  };

  return {
    snapshot: () => snapshot,

    async load() {
      if (disk === undefined) return;
      await Promise.all(
        definitions.map(async (definition) => {
          const record = await disk.read(definition.name, fingerprintOf(definition.connection));
          const isNews = servers.get(definition.name)?.record === undefined;
          if (record !== undefined && isNews) put(toCatalogServer(definition, { record, failure: undefined }, decide));
        }),
      );
      publish();
    },

    async learn(name, listing) {
      const server = servers.get(name);
      if (server === undefined) return;
      const fingerprint = fingerprintOf(server.definition.connection);
      // Another process may have recorded pins or changes meanwhile: what is on disk is the better past.
      const previous = (await disk?.read(name, fingerprint)) ?? server.record;
      const record = toRecord(listing, { server: name, fingerprint, previous, now: now() });
      report(record, previous, log);
      const isNews = server.record === undefined || !isSameList(server.record, record);
      put(
        isNews
          ? toCatalogServer(server.definition, { record, failure: undefined }, decide)
          : { ...server, record, failure: undefined },
      );
      publish();
      await disk?.write(record).catch((error: unknown) => log(`The catalog could not be saved: ${String(error)}`));
    },

    fail(name, reason) {
      const server = servers.get(name);
      if (server === undefined) return;
      put({ ...server, failure: reason });
      publish();
    },
  };
}

/** The title belongs to it: search finds the tools by it, and keeps its index as long as the tools are the same ones. */
function isSameList(before: ServerRecord, after: ServerRecord): boolean {
  return before.title === after.title && canonicalJson(before.tools) === canonicalJson(after.tools);
}

function report(record: ServerRecord, previous: ServerRecord | undefined, log: CatalogParts["log"]): void {
  if (previous === undefined) return;
  for (const change of record.changes) if (change.at === record.listedAt) log(describeChange(record.server, change));
}

function describeChange(server: string, change: ToolChange): string {
  const what = change.members === undefined ? "" : ` (${change.members.join(", ")})`;
  return `${server}:${change.tool} was ${change.kind}${what}.`;
}
