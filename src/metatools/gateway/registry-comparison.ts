import type { CatalogServer, Snapshot } from "../../catalog/snapshot.js";
import { type Finding, type LiveCatalog, type LiveOperation, checkRegistry } from "../../registry/check-registry.js";
import type { Operations } from "./operations.js";
import { readRegularText } from "../../util/regular-file.js";

/** Compares the exported registry file with the current catalog. */
export interface RegistryComparison {
  /** Returns all differences; empty if no registry file is configured. */
  findings(): Promise<readonly Finding[]>;
}

export interface RegistryComparisonParts {
  /** The absolute path of the exported registry file; undefined if none is configured. */
  readonly file: string | undefined;
  readonly snapshot: () => Snapshot;
  readonly operations: Operations;
}

/** Reads the registry file once. Later changes of the file take effect at the next start or reload. */
export function createRegistryComparison({ file, snapshot, operations }: RegistryComparisonParts): RegistryComparison {
  let reading: Promise<ReadRegistry> | undefined;
  let checked: { readonly tools: Snapshot["tools"]; readonly findings: readonly Finding[] } | undefined;
  return {
    async findings() {
      if (file === undefined) return [];
      reading ??= readRegistry(file);
      const read = await reading;
      if (read.kind === "absent") return [{ check: "readable", reason: "the file does not exist" }];
      if (read.kind === "unreadable") return [{ check: "readable", reason: read.reason }];
      const current = snapshot();
      if (checked?.tools !== current.tools) {
        checked = { tools: current.tools, findings: checkRegistry(read.document, toLive(current, operations)) };
      }
      return checked.findings;
    },
  };
}

export type ReadRegistry =
  | { readonly kind: "document"; readonly document: unknown }
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly reason: string };

export async function readRegistry(file: string): Promise<ReadRegistry> {
  let text: string;
  try {
    text = await readRegularText(file);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
    return code === "ENOENT" ? { kind: "absent" } : { kind: "unreadable", reason: `the file cannot be read (${code})` };
  }
  try {
    return { kind: "document", document: JSON.parse(text) as unknown };
  } catch {
    return { kind: "unreadable", reason: "the file is not valid JSON" };
  }
}

/** Returns a catalog in which the tool ids of an exported registry can be looked up. */
export function toLive({ servers, tools }: Snapshot, operations: Operations): LiveCatalog {
  const absent = (reason: string): LiveOperation => ({ kind: "absent", reason });
  return {
    find(id) {
      const tool = tools.get(id);
      if (tool?.quarantine !== undefined) return absent("its definition is quarantined until an operator approves it");
      if (tool !== undefined && !tool.enabled) return absent("a rule disables it");
      if (tool !== undefined) {
        return { kind: "operation", operation: operations.of(tool, servers.get(tool.server)) };
      }
      const adapter = adapterOf(id, servers);
      if (adapter === undefined) return absent("no adapter or server with that name is configured");
      return adapter.record === undefined ? { kind: "unknown" } : absent("its adapter has no such tool");
    },
  };
}

function adapterOf(id: string, servers: Snapshot["servers"]): CatalogServer | undefined {
  return servers.get(splitId(id, servers).server);
}

/**
 * Splits a tool id `server:tool` into its parts. A server's name may contain colons: the longest prefix that is the
 * name of a configured server is used; if there is none, the part before the first colon. An id without a colon may be
 * the id of a tool file and then stands for that file's tool, unless another tool of the same server has this id as its
 * name.
 */
export function splitId(id: string, servers: Snapshot["servers"]): { readonly server: string; readonly name: string } {
  for (const [server, { tools }] of id.includes(":") ? [] : servers) {
    const filed = tools.find(({ file }) => file?.id === id);
    if (filed !== undefined) return { server, name: tools.some(({ name }) => name === id) ? id : filed.name };
  }
  const ends = [...id.matchAll(/:/g)].map(({ index }) => index);
  const end = ends.toReversed().find((at) => servers.has(id.slice(0, at))) ?? ends[0] ?? id.length;
  return { server: id.slice(0, end), name: id.slice(end + 1) };
}
