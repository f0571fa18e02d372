export type ChangeKind = "same" | "patch" | "minor" | "major";

const ORDER: readonly ChangeKind[] = ["same", "patch", "minor", "major"];

/** The next version after a change of this kind. */
export function bump(version: string, kind: ChangeKind): string {
  const [major, minor, patch] = numbersOf(version);
  if (kind === "major") return `${major + 1}.0.0`;
  if (kind === "minor") return `${major}.${minor + 1}.0`;
  return kind === "patch" ? `${major}.${minor}.${patch + 1}` : version;
}

/** Compares two versions for sorting: negative if `one` is older, positive if it is newer. */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [numbersOf(one), numbersOf(other)];
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
}

export function greaterKind(one: ChangeKind, other: ChangeKind): ChangeKind {
  return ORDER.indexOf(one) > ORDER.indexOf(other) ? one : other;
}

function numbersOf(version: string): readonly [number, number, number] {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return [major, minor, patch];
}
