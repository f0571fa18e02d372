import { existsSync } from "node:fs";
import { DAMAGED_HINT, toFault } from "./sqlite/faults.js";
import { openDatabase } from "./sqlite/open-database.js";

export type StoreHealth =
  | { readonly kind: "missing" }
  | { readonly kind: "healthy" }
  | { readonly kind: "damaged"; readonly reason: string; readonly hint: string };

/** Reads the whole file (`PRAGMA integrity_check`) and reports the first problem. */
export function examineStore(file: string): StoreHealth {
  if (!existsSync(file)) return { kind: "missing" };
  try {
    const database = openDatabase(file);
    try {
      const findings = database.prepare("PRAGMA integrity_check").all().flatMap(Object.values);
      if (findings.length === 1 && findings[0] === "ok") return { kind: "healthy" };
      return { kind: "damaged", reason: String(findings[0]), hint: DAMAGED_HINT };
    } finally {
      database.close();
    }
  } catch (error) {
    const { reason, hint } = toFault(error);
    return { kind: "damaged", reason, hint };
  }
}
