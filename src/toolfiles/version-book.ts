import { type Refusal, refuse } from "./signing/refusal.js";

export interface SeenVersion {
  readonly folder: string;
  readonly toolId: string;
  readonly version: string;
  readonly validatedAt: string;
  readonly rank: string;
}

/** The newest version of each file that was ever seen in a folder, kept by somebody who outlives the process. */
export interface VersionBook {
  list(folder: string): Promise<readonly SeenVersion[]>;
  /** Keeps each that is newer than what stands, and gives for each what stands then. */
  note(versions: readonly SeenVersion[]): Promise<readonly SeenVersion[]>;
}

/** A file as far as its age goes. */
export interface Dated {
  readonly toolId: string;
  readonly version: string;
  readonly validatedAt: string;
  readonly isSigned: boolean;
}

/** What was seen that is newer than the file; undefined where nothing is. */
export type NewerThan = (file: Dated) => SeenVersion | undefined;

/**
 * Remembers the files of a folder and tells which of them are older than one that anybody has seen there. Only signed ones are
 * remembered: anybody can write any number into a file.
 */
export async function rememberVersions(
  versions: VersionBook,
  folder: string,
  files: readonly Dated[],
): Promise<NewerThan> {
  const seen = new Map((await versions.list(folder)).map((each) => [each.toolId, each]));
  const raised = files
    .filter((file) => file.isSigned && toSeen(file, folder).rank > (seen.get(file.toolId)?.rank ?? ""))
    .map((file) => toSeen(file, folder));
  // What stands then may be newer still: another process has seen it in the meantime.
  if (raised.length > 0) for (const each of await versions.note(raised)) seen.set(each.toolId, each);
  return (file) => {
    const known = seen.get(file.toolId);
    return known !== undefined && known.rank > rankOf(file.version, file.validatedAt) ? known : undefined;
  };
}

/** As the book keeps it; also what a person accepts who takes an older file. */
export function toSeen({ toolId, version, validatedAt }: Omit<Dated, "isSigned">, folder: string): SeenVersion {
  return { folder, toolId, version, validatedAt, rank: rankOf(version, validatedAt) };
}

/** A text that sorts as versions do, of which no number has more than nine digits, and equal ones by the time of their signature. */
export function rankOf(version: string, validatedAt: string): string {
  return `${version.replaceAll(/\d+/g, (digits) => digits.padStart(9, "0"))} ${validatedAt}`;
}

export function refuseRolledBack(file: string, found: Dated, seen: SeenVersion): Refusal {
  const { toolId } = found;
  return refuse(file, "rolled-back", {
    what: `is ${nameOf(found, seen)}, and ${nameOf(seen, found)} was here before`,
    hint: `Bring the newer file back, or take the older one for good with \`anygpt mcp verify ${toolId} --accept\`.`,
    facts: { version: found.version, seen: seen.version, validatedAt: found.validatedAt, seenAt: seen.validatedAt },
  });
}

type Age = Pick<Dated, "version" | "validatedAt">;

/** The time only where the versions are the same. */
function nameOf({ version, validatedAt }: Age, other: Age): string {
  return version === other.version ? `version ${version} of ${validatedAt}` : `version ${version}`;
}
