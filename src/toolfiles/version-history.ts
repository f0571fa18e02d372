import { type SignatureRefusal, toSignatureRefusal } from "./signing/refusal.js";

export interface RecordedVersion {
  readonly folder: string;
  readonly toolId: string;
  readonly version: string;
  readonly validatedAt: string;
  readonly rank: string;
}

/** The newest version of each file that was ever seen in a folder; persistent. */
export interface VersionHistory {
  list(folder: string): Promise<readonly RecordedVersion[]>;
  /** Stores each version that is newer than the stored one; returns the stored version of each. */
  note(versions: readonly RecordedVersion[]): Promise<readonly RecordedVersion[]>;
}

/** The version data of a file. */
export interface Dated {
  readonly toolId: string;
  readonly version: string;
  readonly validatedAt: string;
  readonly isSigned: boolean;
}

/** The stored version that is newer than the file; undefined if there is none. */
export type NewerThan = (file: Dated) => RecordedVersion | undefined;

/**
 * Stores the versions of the files of a folder and reports files that are older than a version seen before. Only signed files
 * are stored, because the version number of an unsigned file could be set by any author.
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
  // The stored version may be newer still, if another process stored one in the meantime.
  if (raised.length > 0) for (const each of await versions.note(raised)) seen.set(each.toolId, each);
  return (file) => {
    const known = seen.get(file.toolId);
    return known !== undefined && known.rank > rankOf(file.version, file.validatedAt) ? known : undefined;
  };
}

/** The stored form of a version; also used when the user accepts an older file. */
export function toRecordedVersion(
  { toolId, version, validatedAt }: Omit<Dated, "isSigned">,
  folder: string,
): RecordedVersion {
  return { folder, toolId, version, validatedAt, rank: rankOf(version, validatedAt) };
}

/** A text that sorts like versions (each number has at most nine digits); equal versions sort by signing time. */
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

/** Includes the time only if the versions are equal. */
function nameOf({ version, validatedAt }: Age, other: Age): string {
  return version === other.version ? `version ${version} of ${validatedAt}` : `version ${version}`;
}
