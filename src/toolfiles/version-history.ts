import { type SignatureRefusal, toSignatureRefusal } from "./signing/refusal.js";

export interface RecordedVersion {
  readonly folder: string;
  readonly toolId: string;
  readonly version: string;
  readonly validatedAt: string;
  readonly rank: string;
}

/** The newest version of each tool file that was ever used from a folder. Stored persistently. */
export interface VersionHistory {
  list(folder: string): Promise<readonly RecordedVersion[]>;
  /** Stores each version that is newer than the stored one. Returns the stored version of each file. */
  note(versions: readonly RecordedVersion[]): Promise<readonly RecordedVersion[]>;
}

/** The version of a tool file and when it was signed. */
export interface Dated {
  readonly toolId: string;
  readonly version: string;
  readonly validatedAt: string;
  readonly isSigned: boolean;
}

/** Returns the stored version if it is newer than the file, otherwise undefined. */
export type NewerThan = (file: Dated) => RecordedVersion | undefined;

/**
 * Stores the versions of a folder's tool files. The returned function finds files that are older than a version used
 * before. Only signed files are stored, because any author could set the version of an unsigned file.
 */
export async function recordVersions(
  versions: VersionHistory,
  folder: string,
  files: readonly Dated[],
): Promise<NewerThan> {
  const seen = new Map((await versions.list(folder)).map((each) => [each.toolId, each]));
  const raised = files
    .filter((file) => file.isSigned && toRecordedVersion(file, folder).rank > (seen.get(file.toolId)?.rank ?? ""))
    .map((file) => toRecordedVersion(file, folder));
  // `note` returns an even newer version if another process has stored one in the meantime.
  if (raised.length > 0) for (const each of await versions.note(raised)) seen.set(each.toolId, each);
  return (file) => {
    const known = seen.get(file.toolId);
    return known !== undefined && known.rank > rankOf(file.version, file.validatedAt) ? known : undefined;
  };
}

/** Converts a version to its stored form. Also used if the user accepts an older file. */
export function toRecordedVersion(
  { toolId, version, validatedAt }: Omit<Dated, "isSigned">,
  folder: string,
): RecordedVersion {
  return { folder, toolId, version, validatedAt, rank: rankOf(version, validatedAt) };
}

/**
 * A string for sorting by version, then by signing time. Numbers are padded to nine digits, the maximum in a version.
 */
export function rankOf(version: string, validatedAt: string): string {
  return `${version.replaceAll(/\d+/g, (digits) => digits.padStart(9, "0"))} ${validatedAt}`;
}

export function refuseRolledBack(file: string, found: Dated, seen: RecordedVersion): SignatureRefusal {
  const { toolId } = found;
  return toSignatureRefusal(file, "rolled-back", {
    what: `is ${nameOf(found, seen)}, but ${nameOf(seen, found)} was used here before`,
    hint: [
      "Restore the newer file, or accept the older one.",
      { action: "run-command", command: `anygpt mcp verify ${toolId} --accept`, purpose: "accept the older file" },
    ],
    facts: { version: found.version, seen: seen.version, validatedAt: found.validatedAt, seenAt: seen.validatedAt },
  });
}

type Age = Pick<Dated, "version" | "validatedAt">;

/** Describes a version. Adds the signing time only if both versions have the same number. */
function nameOf({ version, validatedAt }: Age, other: Age): string {
  return version === other.version ? `version ${version} of ${validatedAt}` : `version ${version}`;
}
