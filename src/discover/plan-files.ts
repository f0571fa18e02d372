// Compares the tools of a server with the files in a folder and plans the change of each file, with the reason. Content
// of an unsigned file is never copied into a file that will be signed.
import type { ServerListing } from "../model/server.js";
import type { ToolDefinition } from "../model/tool.js";
import { accessDifferences, mergeAccess } from "../toolfiles/changes/connections.js";
import { planFolder, type PlannedFile } from "../toolfiles/changes/plan-folder.js";
import { bump, compareVersions } from "../toolfiles/changes/versions.js";
import { DEFAULT_TIMEOUT_MS, definitionHash, keptDefinition, type ToolFile } from "../toolfiles/format/tool-file.js";
import { toValidatedAt } from "../toolfiles/signing/envelope.js";
import { rankOf, type RecordedVersion } from "../toolfiles/version-history.js";
import type { ExistingFile } from "./existing-files.js";
import type { DiscoveryTarget } from "./target.js";

export interface ToolFilePlanParts {
  readonly target: DiscoveryTarget;
  readonly listing: ServerListing;
  readonly existing: readonly ExistingFile[];
  /** The newest version of each tool that the folder ever had. */
  readonly seen: readonly RecordedVersion[];
  readonly now: number;
  /** Overwrite manual edits. */
  readonly force: boolean;
  /** Remove the files of tools that the server no longer has. */
  readonly prune: boolean;
}

export interface FilePlan {
  readonly toolId: string;
  /** The tool's name at its server. */
  readonly tool: string;
  readonly description?: string;
  /**
   * `edited`: edited manually or not signed by a trusted key. `conflict`: edited, and changed on the server as well.
   */
  readonly kind: PlannedFile["kind"];
  /** The version that the file has or will have. */
  readonly version: string;
  readonly previousVersion?: string;
  /** The differences as lines of text. */
  readonly differences: readonly string[];
  /** The file differs from the tool definition that the server sends. */
  readonly isDrift: boolean;
  readonly existing?: ExistingFile;
  /** The new content of the file. */
  readonly write?: ToolFile;
  readonly isRemoved?: true;
}

export function planFiles(parts: ToolFilePlanParts): readonly FilePlan[] {
  const { target, listing, existing, now } = parts;
  const byId = new Map(existing.map((one) => [one.toolId, one]));
  const comparable = existing.flatMap((one) => (one.file === undefined ? [] : [toComparable(one, one.file, parts)]));
  const { connection, needs, name: server } = target;
  const planned = planFolder({ server, listing, existing: comparable, connection, needs, now });
  const tools = new Map(listing.tools.map((tool) => [tool.name, tool]));
  return planned.map((one) => {
    const found = byId.get(one.toolId);
    const tool = tools.get(definitionIn(one)?.name ?? "");
    const plan = found === undefined || found.trust === "signed" ? planTrusted(one, found, parts) : undefined;
    return withDescription(plan ?? planUntrusted(one, { found, tool }, parts), tool);
  });
}

/** The file to compare with the server. From an unsigned file, only the tool definition is used. */
function toComparable({ trust, toolId }: ExistingFile, file: ToolFile, { target, seen }: ToolFilePlanParts): ToolFile {
  if (trust === "signed" || file.server !== target.name) return file;
  const { risk: _risk, ...rest } = file;
  const version = seen.find((one) => one.toolId === toolId)?.version ?? file.version;
  return { ...rest, version, connection: target.connection, needs: target.needs, timeoutMs: DEFAULT_TIMEOUT_MS };
}

function planTrusted(planned: PlannedFile, existing: ExistingFile | undefined, parts: ToolFilePlanParts): FilePlan {
  const base = toBase(planned, existing);
  const isManualEdit = planned.kind === "edited" || planned.kind === "conflict";
  if (planned.kind === "vanished") return { ...base, isDrift: true, ...(parts.prune ? { isRemoved: true } : {}) };
  // A tool that cannot be written as a file counts as drift only if an older file exists.
  if (!("file" in planned)) return { ...base, isDrift: planned.kind === "refused" && existing !== undefined };
  if (isManualEdit && !parts.force) return { ...base, isDrift: planned.kind === "conflict" };
  const write = withFloor(planned.file, parts);
  return { ...base, kind: isManualEdit ? "changed" : planned.kind, version: write.version, isDrift: true, write };
}

interface Untrusted {
  readonly found: ExistingFile | undefined;
  readonly tool: ToolDefinition | undefined;
}

function planUntrusted(planned: PlannedFile, { found, tool }: Untrusted, parts: ToolFilePlanParts): FilePlan {
  const { target, now, force, prune } = parts;
  const base = toBase(planned, found);
  const moved = found?.file === undefined ? [] : accessDifferences(found.file, mergeAccess(found.file, target));
  if (planned.kind === "unchanged" && moved.length === 0 && found?.trust === "hash") return { ...base, isDrift: false };
  const why = found?.refusal?.message ?? "The file is not signed.";
  if (planned.kind === "vanished") {
    return { ...base, differences: [why], isDrift: true, ...(prune && force ? { isRemoved: true } : {}) };
  }
  if (planned.kind === "refused") return { ...base, differences: [why, ...planned.differences], isDrift: true };
  const differences = [why, ...planned.differences, ...moved];
  if (!force || tool === undefined)
    return { ...base, kind: "edited", version: found?.file?.version ?? base.version, differences, isDrift: true };
  const fresh: ToolFile = {
    toolId: planned.toolId,
    version: planned.version,
    server: target.name,
    tool: keptDefinition(tool),
    discoveredAt: toValidatedAt(now),
    definitionHash: definitionHash(tool),
    needs: target.needs,
    connection: target.connection,
    timeoutMs: DEFAULT_TIMEOUT_MS,
  };
  const write = withFloor(fresh, parts);
  return { ...base, kind: "changed", version: write.version, differences, isDrift: true, write };
}

function toBase(planned: PlannedFile, existing: ExistingFile | undefined): Omit<FilePlan, "isDrift"> {
  const { toolId, kind, version, differences } = planned;
  const before = "before" in planned ? planned.before : undefined;
  const definition = definitionIn(planned);
  return {
    toolId,
    kind,
    tool: definition?.name ?? toolId,
    version,
    ...(before === undefined ? {} : { previousVersion: before.version }),
    differences,
    ...(existing === undefined ? {} : { existing }),
    ...(definition?.description === undefined ? {} : { description: definition.description }),
  };
}

function definitionIn(planned: PlannedFile): ToolDefinition | undefined {
  return "file" in planned ? planned.file.tool : planned.before?.tool;
}

function withDescription(plan: FilePlan, tool: ToolDefinition | undefined): FilePlan {
  return tool?.description === undefined ? plan : { ...plan, description: tool.description };
}

/** Raises the version above that of any earlier file, because a lower version would be rejected as a rollback. */
function withFloor(file: ToolFile, { seen, now }: ToolFilePlanParts): ToolFile {
  const newest = seen.find(({ toolId }) => toolId === file.toolId);
  if (newest === undefined || rankOf(file.version, toValidatedAt(now)) >= newest.rank) return file;
  // The content of a newer version is not available any more: the differences are unknown, so raise the major version.
  const isOlder = compareVersions(newest.version, file.version) > 0;
  return { ...file, version: bump(newest.version, isOlder ? "major" : "patch") };
}
