import { stat } from "node:fs/promises";
import type { AuditFiles } from "../../audit/files.js";
import { examineStore } from "../../store/repair.js";

/** The result of one check of the environment. */
export interface EnvironmentCheck {
  readonly name: string;
  readonly status: "ok" | "notice" | "failed";
  readonly detail: string;
}

/** Checks the database file for damage. Reads the whole file. */
export function checkStore(file: string): EnvironmentCheck {
  const health = examineStore(file);
  if (health.kind === "damaged") {
    return { name: "store", status: "failed", detail: `${file} cannot be used: ${health.reason}. ${health.hint}` };
  }
  const detail = health.kind === "missing" ? `${file} (created with the first call)` : file;
  return { name: "store", status: "ok", detail };
}

const GROUP_AND_OTHERS = 0o077;

/**
 * Checks that the key files are private. A missing key file is skipped: the gateway creates it when it needs the key.
 */
export async function checkKeys({ keyFile, signingKeyFile }: AuditFiles): Promise<EnvironmentCheck[]> {
  const checks = await Promise.all([keyFile, signingKeyFile].map(checkKey));
  return checks.filter((check) => check !== undefined);
}

async function checkKey(file: string): Promise<EnvironmentCheck | undefined> {
  try {
    const { mode } = await stat(file);
    const isPrivate = process.platform === "win32" || (mode & GROUP_AND_OTHERS) === 0;
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
