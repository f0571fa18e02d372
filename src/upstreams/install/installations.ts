// What a start has to know about an installer: whether it may still be installing, and who else installs the same.
import { createHash } from "node:crypto";
import { accessSync, constants, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StderrRing } from "../process/stderr-ring.js";
import { type Claim, isClaimed, takeClaim } from "./claims.js";
import { installerOf } from "./installer.js";
import { isBroken } from "./broken-npx.js";
import { type InstallLog, openInstallLog } from "./install-log.js";
import { areExactVersions, npxFolderOf, npxStateOf } from "./npx-cache.js";

/** An installation is left alone for this long, then its processes are ended. */
export const LONGEST_INSTALL_MS = 600_000;

const KEPT_LOGS_MS = 86_400_000;
const KEPT_MARKS_MS = 30 * KEPT_LOGS_MS;
const LOOK_AGAIN_MS = 250;

export interface CommandToStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** One start of a command that may install its package first. */
export interface Installation {
  readonly tool: string;
  /** Undefined when the folder cannot be written. */
  readonly log: InstallLog | undefined;
  readonly npxFolder: string | undefined;
  /** The process runs. */
  started(pid: number): void;
  /** The server has answered: nothing is being installed any more. */
  finished(): void;
  /** The process is gone. */
  ended(): void;
  /** The process goes on without us. */
  letGo(): void;
}

/** What callers may be told while a server starts. */
export interface InstallStatus {
  /** The package is probably being installed: worth telling. */
  isInstalling(): boolean;
  /** The start may take as long as an installation. */
  mayInstall(): boolean;
  /** Takes over what the installer has written to its standard error until now. */
  readOutput(): void;
}

export interface Installations {
  /** Waits while another process installs the same. Undefined for a command that will not install anything. */
  begin(
    start: CommandToStart,
    stderr: StderrRing,
    onStatus: (status: InstallStatus) => void,
    signal: AbortSignal,
  ): Promise<Installation | undefined>;
  /** After a start has failed: the npx folder that has to be removed before it can succeed. */
  brokenNpxFolder(start: CommandToStart, stderr: readonly string[]): string | undefined;
}

const NO_INSTALLATION: InstallStatus = {
  isInstalling: () => false,
  mayInstall: () => false,
  readOutput: () => undefined,
};

export function createInstallations(folder: string): Installations {
  let isWritable: boolean | undefined;

  return {
    async begin(start, stderr, onStatus, signal) {
      onStatus(NO_INSTALLATION);
      const installer = installerOf(start.command, start.args);
      if (installer === undefined) return undefined;
      const npxFolder = npxFolderOf(installer, start.env, start.cwd);
      const isComplete = (): boolean => npxFolder !== undefined && npxStateOf(npxFolder, Date.now) === "complete";
      if (isComplete() && areExactVersions(installer.packages)) return undefined;
      isWritable ??= sweep(folder);
      const key = keyOf(npxFolder ?? JSON.stringify([installer.tool, ...installer.packages]));
      const mark = join(folder, `${key}.done`);
      const isKnown = (): boolean => isComplete() || (npxFolder === undefined && hasFile(mark));
      let isOver = false;
      let log: InstallLog | undefined;
      onStatus({
        isInstalling: () => !isOver && !isKnown(),
        mayInstall: () => !isOver && !isComplete(),
        readOutput: () => log?.pull(),
      });
      const parts = { folder, limitMs: LONGEST_INSTALL_MS };
      const claim = isWritable ? await takeClaim(key, parts, () => !isKnown(), signal) : undefined;
      log = isWritable ? openInstallLog(folder, key, stderr) : undefined;
      const watching = npxFolder === undefined ? undefined : releaseWhen(isComplete, claim);
      const over = (): void => {
        isOver = true;
        clearInterval(watching);
      };
      return {
        tool: installer.tool,
        log,
        npxFolder,
        started: (pid) => claim?.handTo(pid),
        finished() {
          over();
          claim?.release();
          if (npxFolder === undefined) touch(mark);
        },
        ended() {
          over();
          claim?.release();
          log?.close("remove");
        },
        letGo() {
          over();
          log?.close("keep");
        },
      };
    },
    brokenNpxFolder({ command, args, env, cwd }, stderr) {
      const installer = installerOf(command, args);
      const npxFolder = installer && npxFolderOf(installer, env, cwd);
      if (npxFolder === undefined || isBeingInstalled(npxFolder, folder)) return undefined;
      return isBroken(npxFolder, stderr) ? npxFolder : undefined;
    },
  };
}

/** Whether a process of a gateway with this folder of installations installs into this npx folder now. */
export function isBeingInstalled(npxFolder: string, folder: string): boolean {
  return isClaimed(keyOf(npxFolder), { folder, limitMs: LONGEST_INSTALL_MS });
}

function keyOf(what: string): string {
  return createHash("sha256").update(what).digest("hex").slice(0, 16);
}

/** Others need not wait until the server answers. */
function releaseWhen(isComplete: () => boolean, claim: Claim | undefined): NodeJS.Timeout | undefined {
  if (claim === undefined) return undefined;
  const timer = setInterval(() => {
    if (!isComplete()) return;
    claim.release();
    clearInterval(timer);
  }, LOOK_AGAIN_MS);
  return timer.unref();
}

function touch(file: string): void {
  try {
    writeFileSync(file, "", { flag: "a", mode: 0o600 });
    utimesSync(file, new Date(), new Date());
  } catch {
    // The next start is shown as an installation once more.
  }
}

function hasFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** Removes what nobody will read any more. False when the folder cannot be written. */
function sweep(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
  } catch {
    return false;
  }
  for (const name of readdirSync(folder)) {
    const keptMs = name.endsWith(".done") ? KEPT_MARKS_MS : KEPT_LOGS_MS;
    const file = join(folder, name);
    const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > keptMs) rmSync(file, { force: true });
  }
  return true;
}
