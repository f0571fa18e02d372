import { stat } from "node:fs/promises";
import type { AuditFiles } from "../../audit/files.js";
import { examineStore } from "../../store/repair.js";

/** Something about the place that the gateway runs in. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "notice" | "failed";
  readonly detail: string;
}

/** Reads the whole database. */
export function checkStore(file: string): Check {
  const health = examineStore(file);
  if (health.kind === "damaged") {
    return { name: "store", status: "failed", detail: `${file} cannot be used: ${health.reason}. ${health.hint}` };
  }
  const detail = health.kind === "missing" ? `${file} (made with the first call)` : file;
  return { name: "store", status: "ok", detail };
}

const OTHERS = 0o077;

/** Nothing is said of keys that nobody has needed yet. */
export async function checkKeys({ keyFile, signingKeyFile }: AuditFiles): Promise<Check[]> {
  const checks = await Promise.all([keyFile, signingKeyFile].map(checkKey));
  return checks.filter((check) => check !== undefined);
}

async function checkKey(file: string): Promise<Check | undefined> {
  try {
    const { mode } = await stat(file);
    const isPrivate = process.platform === "win32" || (mode & OTHERS) === 0;
    if (isPrivate) return { name: "key", status: "ok", detail: file };
    const shown = (mode & 0o777).toString(8).padStart(4, "0");
    const detail = `${file} can be read by other users (mode ${shown}); run \`chmod 600 '${file}'\``;
    return { name: "key", status: "failed", detail };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
    if (code === "ENOENT") return undefined;
    return { name: "key", status: "failed", detail: `${file} cannot be read (${code}); correct its permissions` };
  }
}
