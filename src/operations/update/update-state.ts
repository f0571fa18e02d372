// What is known of newer versions of this package, between two commands. Whatever is wrong with the file counts as nothing known.
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writePrivateFile } from "../../util/private-files.js";

export type UpdateEnvironment = Readonly<Record<string, string | undefined>>;

export const DAY_MS = 24 * 60 * 60 * 1000;

const updateState = z.object({
  /** When the registry was asked last, whether it answered or not. */
  checkedAt: z.number(),
  latest: z.string().max(50).optional(),
  /** When the notice was shown last. */
  shownAt: z.number().optional(),
});

export type UpdateState = z.output<typeof updateState>;

const fileIn = (stateFolder: string): string => join(stateFolder, "update.json");

export async function readUpdateState(stateFolder: string): Promise<UpdateState | undefined> {
  try {
    return updateState.parse(JSON.parse(await readFile(fileIn(stateFolder), "utf8")));
  } catch {
    return undefined;
  }
}

/** A state that cannot be written is no reason to fail. */
export async function writeUpdateState(stateFolder: string, state: UpdateState): Promise<void> {
  await writePrivateFile(fileIn(stateFolder), JSON.stringify(state)).catch(() => undefined);
}

export async function forgetUpdateState(stateFolder: string): Promise<void> {
  await rm(fileIn(stateFolder), { force: true }).catch(() => undefined);
}

/** `ANYGPT_NO_UPDATE_NOTIFIER`, `NO_UPDATE_NOTIFIER` and CI switch the notice off. */
export function isNoticeOff(env: UpdateEnvironment): boolean {
  return ["ANYGPT_NO_UPDATE_NOTIFIER", "NO_UPDATE_NOTIFIER", "CI"].some((name) => {
    const value = (env[name] ?? "").toLowerCase();
    return !["", "0", "false", "no", "off"].includes(value);
  });
}

/** A time of the future is as good as none: the clock was set back. */
export function isDue(at: number | undefined, now: number): boolean {
  return at === undefined || at > now || now - at >= DAY_MS;
}
