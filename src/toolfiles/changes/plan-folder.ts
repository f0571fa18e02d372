// Compares a server's tool list with the tool files in a folder and plans what to do with each file. Writes nothing.
import type { ServerListing } from "../../model/server.js";
import type { ToolDefinition } from "../../model/tool.js";
import { isWithinDepth } from "../../util/depth.js";
import { findUnwritable } from "../format/find-unwritable.js";
import {
  MAX_DEFINITION_DEPTH,
  DEFAULT_TIMEOUT_MS,
  type EnvNeed,
  type FileConnection,
  definitionHash,
  keptDefinition,
  type ToolFile,
} from "../format/tool-file.js";
import { toToolIds } from "../ids/to-tool-ids.js";
import { compareDefinitions, type DefinitionChange } from "./compare-definitions.js";
import { type Access, accessDifferences, isSameAddress, mergeAccess } from "./connections.js";
import { bump, greaterKind } from "./versions.js";

export interface FolderPlanParts {
  readonly server: string;
  readonly listing: ServerListing;
  /** All tool files in the folder. Those of other servers are included, because their ids cannot be used again. */
  readonly existing: readonly ToolFile[];
  /**
   * The connection that was used for the discovery. If it has no credentials, those of a file with the same address are
   * kept.
   */
  readonly connection: FileConnection;
  readonly needs: readonly EnvNeed[];
  /** The current time in Unix milliseconds. */
  readonly now: number;
}

interface Planned {
  readonly toolId: string;
  /** The version that the file would get, or its current version if it is not written. */
  readonly version: string;
  readonly differences: readonly string[];
}

export type PlannedFile =
  | (Planned & { readonly kind: "new"; readonly file: ToolFile })
  /** The file need not be written. */
  | (Planned & { readonly kind: "unchanged"; readonly before: ToolFile })
  | (Planned & { readonly kind: "changed"; readonly before: ToolFile; readonly file: ToolFile })
  /**
   * The definition in the existing file was edited; the server's definition did not change. Writing `file` would undo
   * the edit.
   */
  | (Planned & { readonly kind: "edited"; readonly before: ToolFile; readonly file: ToolFile })
  /**
   * The definition in the existing file was edited, and the server's definition changed in another way. Writing `file`
   * would undo the edit.
   */
  | (Planned & { readonly kind: "conflict"; readonly before: ToolFile; readonly file: ToolFile })
  | (Planned & { readonly kind: "vanished"; readonly before: ToolFile })
  /** The server's definition cannot be written to a tool file; `differences` has the reasons. */
  | (Planned & { readonly kind: "refused"; readonly before?: ToolFile });

const FIRST_VERSION = "1.0.0";

/** Plans all files: first the tools in the order of the tool list, then files whose tools are not in the list. */
export function planFolder(parts: FolderPlanParts): readonly PlannedFile[] {
  return [...planEach(parts)];
}

/**
 * Like `planFolder`, but yields the files one by one. Each takes some milliseconds, so the caller can do other work in
 * between.
 */
export function* planEach(parts: FolderPlanParts): Generator<PlannedFile, void, undefined> {
  const { server, listing, existing } = parts;
  const own = new Map(existing.filter((file) => file.server === server).map((file) => [file.tool.name, file]));
  const tools = new Map(listing.tools.map((tool) => [tool.name, tool]));
  const ids = toToolIds(server, [...tools.keys()], {
    own: new Map([...own].map(([name, { toolId }]) => [name, toolId])),
    others: new Set(existing.filter((file) => file.server !== server).map(({ toolId }) => toolId)),
  });
  for (const [name, tool] of tools) yield planTool(tool, ids.get(name) ?? "", { ...parts, before: own.get(name) });
  for (const [name, file] of own) if (!tools.has(name)) yield planAbsent(file, listing);
}

function planTool(
  tool: ToolDefinition,
  toolId: string,
  { before, ...parts }: FolderPlanParts & { readonly before: ToolFile | undefined },
): PlannedFile {
  if (!isWithinDepth(tool, MAX_DEFINITION_DEPTH)) {
    return refused(toolId, [`its definition is nested over ${MAX_DEFINITION_DEPTH} levels deep`], before);
  }
  return before === undefined ? planNew(toolId, tool, parts) : planKnown(before, tool, parts);
}

function planNew(toolId: string, tool: ToolDefinition, parts: FolderPlanParts): PlannedFile {
  const { server, existing, connection, needs, now } = parts;
  const sibling = existing.find((one) => one.server === server && isSameAddress(one.connection, connection));
  const access = sibling === undefined ? { connection, needs } : mergeAccess(sibling, { connection, needs });
  const file: ToolFile = {
    toolId,
    version: FIRST_VERSION,
    server,
    tool: keptDefinition(tool),
    discoveredAt: toTime(now),
    definitionHash: definitionHash(tool),
    needs: access.needs,
    connection: access.connection,
    timeoutMs: sibling?.timeoutMs ?? DEFAULT_TIMEOUT_MS,
  };
  return orRefused({ kind: "new", toolId, version: FIRST_VERSION, differences: [], file });
}

/**
 * Plans an existing file with a three-way comparison: the server's definition when the file was written, the definition
 * in the file, and the server's definition now.
 */
function planKnown(before: ToolFile, tool: ToolDefinition, parts: FolderPlanParts): PlannedFile {
  const discovered = before.definitionHash;
  const [inFile, current] = [definitionHash(before.tool), definitionHash(tool)];
  const isEdited = inFile !== discovered;
  if (current === discovered && isEdited) return planEdited(before, tool, parts);
  if (current === discovered) return planChanged(before, before.tool, parts);
  const isConflict = isEdited && inFile !== current;
  const { file, change } = rewritten(before, tool, parts);
  if (isConflict) return orRefused({ kind: "conflict", before, file, ...about(file, change) });
  // If the file was edited to the definition that the server has now, only the hash in the file is outdated.
  const differences =
    inFile === current
      ? ["the server's definition is now the same as the file's", ...change.differences]
      : change.differences;
  return orRefused({ kind: "changed", before, file, ...about(file, { ...change, differences }) });
}

/** Plans a file whose definition was edited. If only the connection changed, the edit is preserved. */
function planEdited(before: ToolFile, tool: ToolDefinition, parts: FolderPlanParts): PlannedFile {
  const kept = planChanged(before, before.tool, parts);
  if (kept.kind !== "unchanged") return kept;
  const { file, change } = rewritten(before, tool, parts);
  return orRefused({ kind: "edited", before, file, ...about(file, change) });
}

/** Plans a file whose definition is kept: it changes only if the connection changed. */
function planChanged(before: ToolFile, tool: ToolDefinition, parts: FolderPlanParts): PlannedFile {
  const access = mergeAccess(before, parts);
  const differences = accessDifferences(before, access);
  const { toolId, version } = before;
  if (differences.length === 0) return { kind: "unchanged", before, toolId, version, differences };
  const file = {
    ...before,
    ...pickAccess(access),
    tool,
    version: bump(version, "minor"),
    discoveredAt: toTime(parts.now),
  };
  return orRefused({ kind: "changed", before, file, ...about(file, { kind: "minor", differences }) });
}

/** Returns the file with the server's current definition, and the kind of change. */
function rewritten(
  before: ToolFile,
  tool: ToolDefinition,
  parts: FolderPlanParts,
): { file: ToolFile; change: DefinitionChange } {
  const access = mergeAccess(before, parts);
  const moved = accessDifferences(before, access);
  const compared = compareDefinitions(before.tool, tool);
  // At least `patch`: the definition hash is part of the file, so a rewritten file always differs.
  const least = greaterKind(compared.kind, moved.length === 0 ? "patch" : "minor");
  const file = {
    ...before,
    ...pickAccess(access),
    version: bump(before.version, least),
    tool: keptDefinition(tool),
    discoveredAt: toTime(parts.now),
    definitionHash: definitionHash(tool),
  };
  return { file, change: { kind: least, differences: [...compared.differences, ...moved] } };
}

function planAbsent(before: ToolFile, { dropped, truncated }: ServerListing): PlannedFile {
  const { toolId, version } = before;
  const unusable = dropped.find(({ name }) => name === before.tool.name);
  if (unusable !== undefined) return refused(toolId, [unusable.reason], before);
  if (!truncated) return { kind: "vanished", before, toolId, version, differences: [] };
  return { kind: "unchanged", before, toolId, version, differences: ["not in the tool list, which was truncated"] };
}

function orRefused(planned: PlannedFile & { readonly file: ToolFile }): PlannedFile {
  const reasons = findUnwritable(planned.file);
  if (reasons.length === 0) return planned;
  return refused(planned.toolId, reasons, "before" in planned ? planned.before : undefined);
}

function refused(toolId: string, reasons: readonly string[], before: ToolFile | undefined): PlannedFile {
  const version = before?.version ?? FIRST_VERSION;
  return { kind: "refused", toolId, version, differences: reasons, ...(before === undefined ? {} : { before }) };
}

function about({ toolId, version }: ToolFile, { differences }: DefinitionChange): Planned {
  return { toolId, version, differences };
}

function pickAccess({ connection, needs }: Access): Access {
  return { connection, needs };
}

function toTime(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`;
}
