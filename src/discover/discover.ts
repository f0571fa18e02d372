// A server that somebody names comes in; signed files of its tools stand in a folder afterwards, and a report of every one of them
// goes out. People and agents come through here alike; who may ask whom is not known here.
import type { ServerListing } from "../model/server.js";
import type { EnvNeed } from "../toolfiles/format/tool-file.js";
import type { Keys } from "../toolfiles/keys/open-keys.js";
import { realPath } from "../util/inside.js";
import { askServer, type AskParts, type KnownVariables } from "./ask-server.js";
import { type FilePlan, planFiles } from "./plan-files.js";
import { type FolderParts, readStanding } from "./standing-files.js";
import type { DiscoveryTarget } from "./target.js";
import { type FileOutcome, type Note, type UsedKey, writeFiles } from "./write-files.js";

export interface DiscoveryOptions {
  /** Only compare. */
  readonly check?: boolean;
  readonly prune?: boolean;
  readonly force?: boolean;
  /** Only show what would be written. */
  readonly dryRun?: boolean;
}

export interface DiscoveryWish {
  readonly target: DiscoveryTarget;
  /** Absolute. */
  readonly folder: string;
  readonly options: DiscoveryOptions;
}

export interface DiscoverParts extends AskParts, FolderParts {
  readonly keys: Keys;
  /** What a key is called that has to be made. */
  readonly keyName: string;
  readonly note: Note;
}

export interface DiscoveryReport {
  readonly target: DiscoveryTarget;
  readonly folder: string;
  readonly files: readonly FileOutcome[];
  readonly needs: readonly ReportedNeed[];
  /** What the server lists and cannot be used, with the reason. */
  readonly dropped: ServerListing["dropped"];
  /** The server has more tools than are read. */
  readonly truncated: boolean;
  /** What signed the files that were written. */
  readonly key?: UsedKey;
  readonly isDrift: boolean;
}

export interface ReportedNeed extends EnvNeed {
  readonly isSet: boolean;
  /** Where a person gets it. */
  readonly page?: string;
}

export async function discover(
  wish: DiscoveryWish,
  parts: DiscoverParts,
  signal?: AbortSignal,
): Promise<DiscoveryReport> {
  const listing = await askServer(wish.target, parts, signal);
  const plans = await planDiscovery(wish, listing, parts);
  signal?.throwIfAborted();
  return await settleDiscovery(wish, { listing, plans }, parts);
}

export async function planDiscovery(
  { target, folder, options }: DiscoveryWish,
  listing: ServerListing,
  parts: FolderParts,
): Promise<readonly FilePlan[]> {
  const standing = await readStanding(folder, parts);
  const seen = await parts.versions.list(realPath(folder));
  const { force = false, prune = false } = options;
  return planFiles({ target, listing, standing, seen, now: parts.now(), force, prune });
}

export interface Planned {
  readonly listing: ServerListing;
  readonly plans: readonly FilePlan[];
}

/** Writes what was planned, unless only a look was wanted. */
export async function settleDiscovery(
  { target, folder, options }: DiscoveryWish,
  { listing, plans }: Planned,
  parts: Omit<DiscoverParts, "upstreams">,
): Promise<DiscoveryReport> {
  const isLook = options.check === true || options.dryRun === true;
  const { outcomes, key } = isLook
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

/** Of the files as they are now: a person may have written more into them than was asked for. */
function toReported(
  { known, needs }: DiscoveryTarget,
  files: readonly FilePlan[],
  variables: Pick<KnownVariables, "isSet">,
): ReportedNeed[] {
  const filed = files.flatMap(({ write, standing, kind }) =>
    kind === "vanished" ? [] : ((write ?? (standing?.trust === "none" ? undefined : standing?.file))?.needs ?? []),
  );
  const all = new Map([...needs, ...filed].map((need) => [need.name, need]));
  return [...all.values()].map((need) => ({
    ...need,
    isSet: variables.isSet(need.name),
    ...(known?.variable === need.name && known.page !== undefined ? { page: known.page } : {}),
  }));
}
