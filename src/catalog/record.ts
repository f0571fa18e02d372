import type { ServerConnection, Era, ServerCapabilities, ServerListing } from "../model/server.js";
import type { ToolDefinition } from "../model/tool.js";
import { canonicalJson } from "../util/json/canonical.js";
import { sha256 } from "../util/sha256.js";
import { isEqualJson } from "../util/json/is-equal.js";

/** The state of one server when its tool list was last received; stored on disk. */
export interface ServerRecord {
  readonly server: string;
  /** The hash of the connection settings: a server with the same name but another command is another server. */
  readonly fingerprint: string;
  readonly listedAt: number;
  readonly era: Era;
  readonly title?: string;
  readonly version?: string;
  readonly instructions?: string;
  /** Undefined in records that older versions of the gateway stored. */
  readonly capabilities?: ServerCapabilities;
  readonly truncated: boolean;
  readonly dropped: ServerListing["dropped"];
  readonly tools: readonly ToolDefinition[];
  /** The changes between successive tool lists, newest last. */
  readonly changes: readonly ToolChange[];
  /**
   * Names of the tools that were not approved when the list was received; undefined if the approvals were not checked.
   */
  readonly unapproved?: readonly string[];
}

export interface ToolChange {
  readonly tool: string;
  readonly at: number;
  readonly kind: "added" | "removed" | "changed";
  /** Only for the kind `changed`: the members of the definition that differ. */
  readonly members?: readonly string[];
}

const MAX_CHANGES = 200;
/** The names of members come from the server: their number and length are limited. */
const MAX_MEMBERS = 20;
const MAX_MEMBER_CHARACTERS = 64;

export function connectionFingerprint(connection: ServerConnection): string {
  return sha256(canonicalJson(connection)).slice(0, 16);
}

export function hashDefinition(definition: ToolDefinition): string {
  return sha256(canonicalJson(definition));
}

export interface RecordParts {
  readonly server: string;
  readonly fingerprint: string;
  readonly previous: ServerRecord | undefined;
  readonly now: number;
}

/** Creates the record for a new tool list, and adds its differences from the previous record. */
export function toRecord(listing: ServerListing, parts: RecordParts): ServerRecord {
  const { tools } = listing;
  return {
    server: parts.server,
    fingerprint: parts.fingerprint,
    listedAt: parts.now,
    era: listing.era,
    ...(listing.title === undefined ? {} : { title: listing.title }),
    ...(listing.version === undefined ? {} : { version: listing.version }),
    ...(listing.instructions === undefined ? {} : { instructions: listing.instructions }),
    ...(listing.capabilities === undefined ? {} : { capabilities: listing.capabilities }),
    truncated: listing.truncated,
    dropped: listing.dropped,
    tools,
    changes: [...(parts.previous?.changes ?? []), ...differences(parts, tools)].slice(-MAX_CHANGES),
  };
}

function differences({ previous, now }: RecordParts, tools: readonly ToolDefinition[]): ToolChange[] {
  if (previous === undefined) return [];
  const before = new Map(previous.tools.map((tool) => [tool.name, tool]));
  const after = new Set(tools.map((tool) => tool.name));
  const changes: ToolChange[] = [];
  for (const tool of tools) {
    const old = before.get(tool.name);
    if (old === undefined) changes.push({ tool: tool.name, at: now, kind: "added" });
    else if (hashDefinition(old) !== hashDefinition(tool)) {
      changes.push({ tool: tool.name, at: now, kind: "changed", members: differingMembers(old, tool) });
    }
  }
  for (const name of before.keys()) if (!after.has(name)) changes.push({ tool: name, at: now, kind: "removed" });
  return changes;
}

function differingMembers(before: ToolDefinition, after: ToolDefinition): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const differing = [...names].filter((name) => !isEqualJson(before[name], after[name]));
  return differing
    .map((name) => name.slice(0, MAX_MEMBER_CHARACTERS))
    .sort()
    .slice(0, MAX_MEMBERS);
}
