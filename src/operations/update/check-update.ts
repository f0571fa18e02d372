// Asks the registry of npm for the latest version of this package, at most once a day. Only the background gateway comes here,
// beside its commands: none of them waits for the answer.
import { tmpdir } from "node:os";
import { z } from "zod";
import { createGuardedFetch } from "../../util/net/guarded-fetch.js";
import { npmSetting } from "../../util/npm-settings.js";
import { readProgram } from "../programs/run-program.js";
import { PACKAGE } from "../../version.js";
import {
  type UpdateEnvironment,
  forgetUpdateState,
  isDue,
  isNoticeOff,
  readUpdateState,
  writeUpdateState,
} from "./update-state.js";

const TIME_LIMIT_MS = 3000;
const MOST_BYTES = 64 * 1024;
const distTags = z.object({ latest: z.string().regex(/^\d+\.\d+\.\d+$/) });

export interface UpdateCheck {
  readonly stateFolder: string;
  /** Of the command that gave the occasion. */
  readonly env: UpdateEnvironment;
  /** `updateNotice` of the configuration. */
  readonly isWanted: boolean;
  readonly now: () => number;
}

/** Never rejects: an attempt that fails is repeated after a day. */
export async function checkForUpdate({ stateFolder, env, isWanted, now }: UpdateCheck): Promise<void> {
  if (!isWanted) return await forgetUpdateState(stateFolder);
  const before = await readUpdateState(stateFolder);
  if (isNoticeOff(env) || !isDue(before?.checkedAt, now())) return;
  const checked = { ...before, checkedAt: now() };
  await writeUpdateState(stateFolder, checked);
  const latest = await askRegistry(env).catch(() => undefined);
  if (latest !== undefined) await writeUpdateState(stateFolder, { ...checked, latest });
}

async function askRegistry(env: UpdateEnvironment): Promise<string> {
  const scope = PACKAGE.split("/")[0] ?? "";
  const registry = new URL(
    npmSetting(env, `${scope}:registry`) ?? npmSetting(env, "registry") ?? (await npmDefault(env)),
  );
  const url = new URL(`${registry.href.replace(/\/*$/, "/")}-/package/${PACKAGE.replace("/", "%2f")}/dist-tags`);
  // The user has written the address into the settings of npm.
  const fetcher = createGuardedFetch({ server: registry.host, allowInternal: [registry.origin], env });
  try {
    const limits = { timeoutMs: TIME_LIMIT_MS, maxTotalMs: TIME_LIMIT_MS, maxBytes: MOST_BYTES };
    const headers = { accept: "application/json" };
    const { status, body } = await fetcher.fetch({ url, method: "GET", headers, redirect: "follow", ...limits });
    const chunks: Buffer[] = [];
    for await (const chunk of body) chunks.push(chunk);
    if (status !== 200) throw new Error(`HTTP status ${status}`);
    return distTags.parse(JSON.parse(Buffer.concat(chunks).toString("utf8"))).latest;
  } finally {
    fetcher.close();
  }
}

/** The address that npm itself uses where the user has set none. */
async function npmDefault(env: UpdateEnvironment): Promise<string> {
  const signal = AbortSignal.timeout(TIME_LIMIT_MS);
  return (await readProgram("npm", ["config", "get", "registry"], { env, cwd: tmpdir(), signal })).trim();
}
