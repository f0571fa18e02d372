import type { ToolFile } from "../../toolfiles/format/tool-file.js";
import type { RefusedFile } from "../../toolfiles/read-tool-files.js";
import { canonicalJson } from "../../util/json/canonical.js";

/** A tool file with a remark for display. */
export interface RemarkedFile {
  readonly file: ToolFile;
  /** Text that is shown after the version. */
  readonly remark?: string;
}

/** Groups files with the same server, connection and variables. */
export function groupByConnection(listed: readonly RemarkedFile[]): RemarkedFile[][] {
  const groups = new Map<string, RemarkedFile[]>();
  for (const one of listed) {
    const { server, connection, needs } = one.file;
    addTo(groups, canonicalJson({ server, connection, needs }), one);
  }
  return [...groups.values()];
}

/** Rejected files, grouped by the untrusted key that signed them, and files that were rejected for another reason. */
export interface RefusedGroups {
  readonly byKey: ReadonlyMap<string, readonly RefusedFile[]>;
  readonly others: readonly RefusedFile[];
}

export function groupRefused(refused: readonly RefusedFile[]): RefusedGroups {
  const byKey = new Map<string, RefusedFile[]>();
  const isUntrusted = ({ reason }: RefusedFile): boolean => reason === "unknown-key";
  for (const one of refused.filter(isUntrusted)) addTo(byKey, String(one.error.facts["keyId"]), one);
  return { byKey, others: refused.filter((one) => !isUntrusted(one)) };
}

function addTo<T>(groups: Map<string, T[]>, key: string, one: T): void {
  groups.set(key, [...(groups.get(key) ?? []), one]);
}
