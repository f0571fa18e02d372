// Discovers the tools of a server, writes signed tool files into a folder and reports on each file. The callers of this
// module check permissions.
import type { ServerListing } from "../model/server.js";
import type { EnvNeed } from "../toolfiles/format/tool-file.js";
import type { Keys } from "../toolfiles/keys/open-keys.js";
import { realPath } from "../util/inside.js";
import { listServerTools, type ListToolsParts, type KnownVariables } from "./list-server-tools.js";
import { type FilePlan, planFiles } from "./plan-files.js";
import { type FolderParts, readExistingFiles } from "./existing-files.js";
import type { DiscoveryTarget } from "./target.js";
import { type FileOutcome, type Note, type UsedKey, writeFiles } from "./write-files.js";

export interface DiscoveryOptions {
  /** Only compare the files with the server; write nothing. */
  readonly check?: boolean;
  readonly prune?: boolean;
  readonly force?: boolean;
  /** Only report what would be written. */
  readonly dryRun?: boolean;
}

export interface DiscoveryRequest {
  readonly target: DiscoveryTarget;
  /** The absolute path of the folder with the tool files. */
  readonly folder: string;
  readonly options: DiscoveryOptions;
}

export interface ServerDiscoveryParts extends ListToolsParts, FolderParts {
  readonly keys: Keys;
  /** The name of a new signing key, if one must be created. */
  readonly keyName: string;
  readonly note: Note;
}

export interface DiscoveryReport {
  readonly target: DiscoveryTarget;
  readonly folder: string;
  readonly files: readonly FileOutcome[];
  readonly needs: readonly ReportedNeed[];
  /** Tools in the server's list that the gateway rejects, with the reason. */
  readonly dropped: ServerListing["dropped"];
  /** The server has more tools than the limit, so some were ignored. */
  readonly truncated: boolean;
  /** The key that signed the written files. */
  readonly key?: UsedKey;
  readonly isDrift: boolean;
}

export interface ReportedNeed extends EnvNeed {
  readonly isSet: boolean;
  /** URL of the page where a user gets the credential. */
  readonly page?: string;
}

export async function discover(
  request: DiscoveryRequest,
  parts: ServerDiscoveryParts,
  signal?: AbortSignal,
): Promise<DiscoveryReport> {
  const listing = await listServerTools(request.target, parts, signal);
  const plans = await planDiscovery(request, listing, parts);
  signal?.throwIfAborted();
  return await applyDiscovery(request, { listing, plans }, parts);
}

export async function planDiscovery(
  { target, folder, options }: DiscoveryRequest,
  listing: ServerListing,
  parts: FolderParts,
): Promise<readonly FilePlan[]> {
  const existing = await readExistingFiles(folder, parts);
  const seen = await parts.versions.list(realPath(folder));
  const { force = false, prune = false } = options;
  return planFiles({ target, listing, existing, seen, now: parts.now(), force, prune });
}

export interface Planned {
  readonly listing: ServerListing;
  readonly plans: readonly FilePlan[];
}

/** Writes the planned files, unless only a comparison or preview is requested. */
export async function applyDiscovery(
  { target, folder, options }: DiscoveryRequest,
  { listing, plans }: Planned,
  parts: Omit<ServerDiscoveryParts, "upstreams">,
): Promise<DiscoveryReport> {
  const isPreview = options.check === true || options.dryRun === true;
  const { outcomes, key } = isPreview
    ? { outcomes: plans.map((plan): FileOutcome => ({ ...plan, done: "kept" })), key: undefined }
    : await writeFiles(plans, { ...parts, folder, now: parts.now() });
  return {
    target,
    folder,
    files: outcomes,
    needs: toReported(target, outcomes, parts.variables),
    dropped: listing.dropped,
    truncated: listing.truncated,
    ...(key === undefined ? {} : { key }),
    isDrift: plans.some(({ isDrift }) => isDrift),
  };
}

/** The variables that the server needs: those of the target, and those that a user has added to its tool files. */
function toReported(
  { known, needs }: DiscoveryTarget,
  files: readonly FilePlan[],
  variables: Pick<KnownVariables, "isSet">,
): ReportedNeed[] {
  const filed = files.flatMap(({ write, existing, kind }) =>
    kind === "vanished" ? [] : ((write ?? (existing?.trust === "none" ? undefined : existing?.file))?.needs ?? []),
  );
  const all = new Map([...needs, ...filed].map((need) => [need.name, need]));
  return [...all.values()].map((need) => ({
    ...need,
    isSet: variables.isSet(need.name),
    ...(known?.variable === need.name && known.page !== undefined ? { page: known.page } : {}),
  }));
}
