// Queries the npm registry for the latest version of this package, at most once a day. Only the background gateway does
// this, so that no command waits for the answer.
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

const TIMEOUT_MS = 3000;
const MAX_BYTES = 64 * 1024;
const distTags = z.object({ latest: z.string().regex(/^\d+\.\d+\.\d+$/) });

export interface UpdateCheck {
  readonly stateFolder: string;
  /** The environment of the command that triggered the check. */
  readonly env: UpdateEnvironment;
  /** The setting `updateNotice` of the configuration. */
  readonly isWanted: boolean;
  readonly now: () => number;
}

/**
 * Checks for a new version if the last check was at least a day ago. Never rejects; after a failure, tries again a day
 * later.
 */
export async function checkForUpdate({ stateFolder, env, isWanted, now }: UpdateCheck): Promise<void> {
  if (!isWanted) return await forgetUpdateState(stateFolder);
  const before = await readUpdateState(stateFolder);
  if (isNoticeOff(env) || !isDue(before?.checkedAt, now())) return;
  const checked = { ...before, checkedAt: now() };
  await writeUpdateState(stateFolder, checked);
  const latest = await fetchLatest(env).catch(() => undefined);
  if (latest !== undefined) await writeUpdateState(stateFolder, { ...checked, latest });
}

async function fetchLatest(env: UpdateEnvironment): Promise<string> {
  const scope = PACKAGE.split("/")[0] ?? "";
  const registry = new URL(
    npmSetting(env, `${scope}:registry`) ?? npmSetting(env, "registry") ?? (await npmDefault(env)),
  );
  const url = new URL(`${registry.href.replace(/\/*$/, "/")}-/package/${PACKAGE.replace("/", "%2f")}/dist-tags`);
  // An internal address is allowed, because the user wrote it into the npm settings.
  const fetcher = createGuardedFetch({ server: registry.host, allowInternal: [registry.origin], env });
  try {
    const limits = { timeoutMs: TIMEOUT_MS, maxTotalMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
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

/** The URL of the registry that npm uses by default. */
async function npmDefault(env: UpdateEnvironment): Promise<string> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return (await readProgram("npm", ["config", "get", "registry"], { env, cwd: tmpdir(), signal })).trim();
}
