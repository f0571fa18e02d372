import { existsSync, renameSync } from "node:fs";
import { toFault } from "./sqlite/faults.js";
import { openDatabase } from "./sqlite/open-database.js";

export type StoreHealth =
  | { readonly kind: "missing" }
  | { readonly kind: "healthy" }
  | { readonly kind: "damaged"; readonly reason: string; readonly hint: string };

/** Reads the whole file and says what is wrong with it. */
export function examineStore(file: string): StoreHealth {
  if (!existsSync(file)) return { kind: "missing" };
  try {
    const database = openDatabase(file);
    try {
      const findings = database.prepare("PRAGMA integrity_check").all().flatMap(Object.values);
      if (findings.length === 1 && findings[0] === "ok") return { kind: "healthy" };
      const hint = "Move it aside: a new one is made.";
      return { kind: "damaged", reason: String(findings[0]), hint };
    } finally {
      database.close();
    }
  } catch (error) {
    const { reason, hint } = toFault(error);
    return { kind: "damaged", reason, hint };
  }
}

/** Only ever on a person's word, and with all gateways ended: the files keep their content under another name. */
export function moveStoreAside(file: string, now: number): readonly string[] {
  const stamp = new Date(now).toISOString().replace(/[:.]/g, "-");
  const moved: string[] = [];
  for (const ending of ["", "-wal", "-shm"]) {
    if (!existsSync(file + ending)) continue;
    const target = `${file}.${stamp}${ending}`;
    renameSync(file + ending, target);
    moved.push(target);
  }
  return moved;
}
