// Stores the latest known version of this package. An invalid file counts as missing.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writePrivateFile } from "../../util/private-files.js";
import { readRegularText } from "../../util/regular-file.js";

export type UpdateEnvironment = Readonly<Record<string, string | undefined>>;

export const DAY_MS = 24 * 60 * 60 * 1000;

const updateState = z.object({
  /** The time of the last query, successful or not. */
  checkedAt: z.number(),
  latest: z.string().max(50).optional(),
  shownAt: z.number().optional(),
});

export type UpdateState = z.output<typeof updateState>;

const fileIn = (stateFolder: string): string => join(stateFolder, "update.json");

export async function readUpdateState(stateFolder: string): Promise<UpdateState | undefined> {
  try {
    return updateState.parse(JSON.parse(await readRegularText(fileIn(stateFolder))));
  } catch {
    return undefined;
  }
}

/** Ignores write errors: the notice is not important enough to fail a command. */
export async function writeUpdateState(stateFolder: string, state: UpdateState): Promise<void> {
  await writePrivateFile(fileIn(stateFolder), JSON.stringify(state)).catch(() => undefined);
}

export async function forgetUpdateState(stateFolder: string): Promise<void> {
  await rm(fileIn(stateFolder), { force: true }).catch(() => undefined);
}

export function isNoticeOff(env: UpdateEnvironment): boolean {
  return ["ANYGPT_NO_UPDATE_NOTIFIER", "NO_UPDATE_NOTIFIER", "CI"].some((name) => {
    const value = (env[name] ?? "").toLowerCase();
    return !["", "0", "false", "no", "off"].includes(value);
  });
}

/**
 * Whether `at` is undefined or at least one day ago. Also true if `at` is in the future, because the clock was set
 * back.
 */
export function isDue(at: number | undefined, now: number): boolean {
  return at === undefined || at > now || now - at >= DAY_MS;
}
