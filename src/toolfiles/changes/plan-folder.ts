// A server's list and the files that stand in a folder come in; what to do about each file goes out. Writes nothing.
import type { ServerListing } from "../../model/server.js";
import type { ToolDefinition } from "../../model/tool.js";
import { isWithinDepth } from "../../util/depth.js";
import { findUnwritable } from "../format/find-unwritable.js";
import {
  DEEPEST_DEFINITION,
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
  /** Every file of the folder, those of other servers too: their ids are taken. */
  readonly existing: readonly ToolFile[];
  /** How the server was reached. Without credentials of its own it changes none that a file has for the same address. */
  readonly connection: FileConnection;
  readonly needs: readonly EnvNeed[];
  /** In milliseconds. */
  readonly now: number;
}

interface Planned {
  readonly toolId: string;
  /** That the file has, or would have. */
  readonly version: string;
  readonly differences: readonly string[];
}

export type PlannedFile =
  | (Planned & { readonly kind: "new"; readonly file: ToolFile })
  /** Stays as it is, byte for byte. */
  | (Planned & { readonly kind: "unchanged"; readonly before: ToolFile })
  | (Planned & { readonly kind: "changed"; readonly before: ToolFile; readonly file: ToolFile })
  /** A person changed the definition; the server says what it said. `file` would undo that. */
  | (Planned & { readonly kind: "edited"; readonly before: ToolFile; readonly file: ToolFile })
  /** Both changed it, each in another way. `file` would undo the person's change. */
  | (Planned & { readonly kind: "conflict"; readonly before: ToolFile; readonly file: ToolFile })
  | (Planned & { readonly kind: "vanished"; readonly before: ToolFile })
  /** No file can say what the server says; `differences` has the reasons. */
  | (Planned & { readonly kind: "refused"; readonly before?: ToolFile });

const FIRST_VERSION = "1.0.0";

/** In the order of the list; then the files of tools that are not in it. */
export function planFolder(parts: FolderPlanParts): readonly PlannedFile[] {
  return [...planEach(parts)];
}

/** The same one by one, for those who have something else to do in between: each file is tried out, which takes some milliseconds. */
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
  if (!isWithinDepth(tool, DEEPEST_DEFINITION)) {
    return refused(toolId, [`its definition is nested over ${DEEPEST_DEFINITION} levels deep`], before);
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

/** Three-way: what the server said when the file was written, what the file says, what the server says now. */
function planKnown(before: ToolFile, tool: ToolDefinition, parts: FolderPlanParts): PlannedFile {
  const said = before.definitionHash;
  const [written, says] = [definitionHash(before.tool), definitionHash(tool)];
  const isEdited = written !== said;
  if (says === said && isEdited) return planEdited(before, tool, parts);
  if (says === said) return planChanged(before, before.tool, parts);
  const isConflict = isEdited && written !== says;
  const { file, change } = rewritten(before, tool, parts);
  if (isConflict) return orRefused({ kind: "conflict", before, file, ...about(file, change) });
  // The person was first to write what the server says by now: only the hash is behind.
  const differences =
    written === says ? ["the server now says what the file says", ...change.differences] : change.differences;
  return orRefused({ kind: "changed", before, file, ...about(file, { ...change, differences }) });
}

/** A new way to the server is no reason to undo what the person wrote. */
function planEdited(before: ToolFile, tool: ToolDefinition, parts: FolderPlanParts): PlannedFile {
  const kept = planChanged(before, before.tool, parts);
  if (kept.kind !== "unchanged") return kept;
  const { file, change } = rewritten(before, tool, parts);
  return orRefused({ kind: "edited", before, file, ...about(file, change) });
}

/** For a definition that stays: whether anything else is new. */
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

/** The file with the server's definition, and the change that this is. */
function rewritten(
  before: ToolFile,
  tool: ToolDefinition,
  parts: FolderPlanParts,
): { file: ToolFile; change: DefinitionChange } {
  const access = mergeAccess(before, parts);
  const moved = accessDifferences(before, access);
  const compared = compareDefinitions(before.tool, tool);
  // The hash is part of the file, so a rewritten one is never the same.
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
  return { kind: "unchanged", before, toolId, version, differences: ["not in the list, which was cut short"] };
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
