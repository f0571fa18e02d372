import { stateFolderOf } from "../../util/state-folder.js";
import { PACKAGE } from "../../version.js";
import { type UpdateEnvironment, isDue, isNoticeOff, readUpdateState, writeUpdateState } from "./update-state.js";

export interface NoticePlace {
  readonly env: UpdateEnvironment;
  readonly cwd: string;
  readonly version: string;
  readonly now: number;
}

/** Returns the line to show, at most once a day. Reads only a file and makes no network request. */
export async function takeUpdateNotice({ env, cwd, version, now }: NoticePlace): Promise<string | undefined> {
  if (isNoticeOff(env)) return undefined;
  const stateFolder = stateFolderOf(env, cwd);
  const state = await readUpdateState(stateFolder);
  if (state?.latest === undefined || !isNewer(state.latest, version) || !isDue(state.shownAt, now)) return undefined;
  await writeUpdateState(stateFolder, { ...state, shownAt: now });
  return `Version ${state.latest} of ${PACKAGE} is available, this is ${version}: npm install -g ${PACKAGE}`;
}

export function isNewer(latest: string, current: string): boolean {
  const [one, other] = [toNumbers(latest), toNumbers(current)];
  const at = one.findIndex((number, index) => number !== other[index]);
  return at !== -1 && (one[at] ?? 0) > (other[at] ?? 0);
}

function toNumbers(version: string): number[] {
  return (version.split("-", 1)[0] ?? "").split(".").map(Number);
}
