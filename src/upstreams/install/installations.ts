// Tracks installers: whether a command may still be installing its package, and whether another process installs the
// same package.
import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { StdioConnection } from "../../model/server.js";
import { childEnvironment } from "../process/child-environment.js";
import type { StderrRing } from "../process/stderr-ring.js";
import { type InstallClaim, claimantOf, isInstallClaimed, takeClaim } from "./claims.js";
import { type Installer, installerOf } from "./installer.js";
import { isBroken } from "./broken-npx.js";
import { type InstallLog, openInstallLog } from "./install-log.js";
import { findNpmLog, type NpmLog } from "./npm-log.js";
import { areExactVersions, npxFolderOf, npxInstalledAt, npxStateOf } from "./npx-cache.js";
import { isNpxDone, type NpxStart } from "./npx-progress.js";

/** Time limit of an installation. When it is exceeded, the reaper ends the installer's processes. */
export const MAX_INSTALL_MS = 600_000;

const LOG_RETENTION_MS = 86_400_000;
const MARK_RETENTION_MS = 30 * LOG_RETENTION_MS;
const POLL_MS = 250;

export interface CommandToStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Settings of npm in the gateway's environment that npx needs to find packages. */
const NPM_SETTINGS = ["registry", "cache", "cafile", "userconfig"].flatMap((name) => [
  `npm_config_${name}`,
  `NPM_CONFIG_${name.toUpperCase()}`,
]);

export function commandToStart(
  { command, args, cwd = process.cwd(), env, inheritEnv = [] }: StdioConnection,
  gatewayEnv: Readonly<Record<string, string | undefined>>,
): CommandToStart {
  const settings = installerOf(command, args)?.npm === undefined ? [] : NPM_SETTINGS;
  return { command, args, cwd, env: childEnvironment(gatewayEnv, env, [...inheritEnv, ...settings]) };
}

/** One start of a command that may install its package first. */
export interface Installation {
  readonly tool: string;
  /** The file for the installer's standard error. Undefined if the folder is not writable. */
  readonly log: InstallLog | undefined;
  /** The npx cache folder and its state before the start. Set for `npx` only. */
  readonly npx: NpxStart | undefined;
  /** Call this when the process has started. */
  started(pid: number): void;
  /** Call this when the server has responded, which shows that the installation is complete. */
  finished(): void;
  /** Call this when the process has exited. */
  ended(): void;
  /** Call this when the gateway detaches from the process, which continues in the background. */
  detach(): void;
}

/** The state of an installation while the server starts. */
export interface InstallStatus {
  /** Whether the package is probably being installed, so that callers should see that status. */
  isInstalling(): boolean;
  /** Whether the start may take as long as an installation. */
  mayInstall(): boolean;
  /** Copies the current output of the installer to the standard error ring buffer. */
  readOutput(): void;
  /** The id of the process that installs the same package, while this start waits for that process. */
  waitsFor(): number | undefined;
}

export interface Installations {
  /**
   * Call this before the command is started. Waits while another process installs the same package. Resolves to
   * undefined for a command that installs nothing.
   */
  begin(
    start: CommandToStart,
    stderr: StderrRing,
    onStatus: (status: InstallStatus) => void,
    signal: AbortSignal,
  ): Promise<Installation | undefined>;
  /** Whether a start would install the package first, as far as the caches on this machine show. */
  isNeeded(start: CommandToStart): boolean;
  /**
   * After a failed start, returns the npx cache folder that must be removed before a start can succeed. Undefined if no
   * such folder is the cause.
   */
  brokenNpxFolder(start: CommandToStart, stderr: readonly string[]): string | undefined;
  /** After npx has failed without output, finds the log that npm wrote since the given wall-clock time (`since`). */
  npmLog(start: CommandToStart, since: number): NpmLog | undefined;
}

const NO_INSTALLATION: InstallStatus = {
  isInstalling: () => false,
  mayInstall: () => false,
  readOutput: () => undefined,
  waitsFor: () => undefined,
};

export function createInstallations(folder: string): Installations {
  let isWritable: boolean | undefined;

  /**
   * Finds the traces of an earlier installation: files in the npx cache, or a mark file after the first successful
   * start.
   */
  function traceOf(installer: Installer, start: CommandToStart) {
    const npxFolder = npxFolderOf(installer, start.env, start.cwd);
    const key = keyOf(npxFolder ?? whatIsInstalled(installer, start));
    const mark = join(folder, `${key}.done`);
    const isComplete = (): boolean => npxFolder !== undefined && npxStateOf(npxFolder, Date.now) === "complete";
    return { npxFolder, key, mark, isComplete, isKnown: (): boolean => isComplete() || existsSync(mark) };
  }

  return {
    isNeeded(start) {
      const installer = installerOf(start.command, start.args);
      return installer !== undefined && !traceOf(installer, start).isKnown();
    },
    async begin(start, stderr, onStatus, signal) {
      onStatus(NO_INSTALLATION);
      const installer = installerOf(start.command, start.args);
      if (installer === undefined) return undefined;
      const { npxFolder, key, mark, isComplete, isKnown } = traceOf(installer, start);
      const mayUpdate = npxFolder !== undefined && !existsSync(mark) && !areExactVersions(installer.packages);
      // If nothing can be installed or updated, the process is treated like any other server: it is killed if it hangs.
      if (isKnown() && !mayUpdate) return undefined;
      isWritable ??= sweep(folder);
      const parts = { folder, limitMs: MAX_INSTALL_MS };
      let [isOver, isWaiting] = [false, true];
      let log: InstallLog | undefined;
      onStatus({
        isInstalling: () => !isOver && !isKnown(),
        mayInstall: () => !isOver && !isKnown(),
        readOutput: () => log?.pull(),
        waitsFor: () => (isWaiting ? claimantOf(key, parts) : undefined),
      });
      const claim = isWritable ? await takeClaim(key, parts, () => mayUpdate || !isKnown(), signal) : undefined;
      isWaiting = false;
      log = isWritable ? openInstallLog(folder, key, stderr) : undefined;
      const npx = npxFolder === undefined ? undefined : { npxFolder, installedBefore: npxInstalledAt(npxFolder) };
      let watching: NodeJS.Timeout | undefined;
      const finish = (): void => {
        isOver = true;
        clearInterval(watching);
      };
      return {
        tool: installer.tool,
        log,
        npx,
        started(pid) {
          claim?.transferTo(pid);
          if (npx !== undefined) watching = releaseWhen(() => isNpxDone(npx, pid), claim);
        },
        finished() {
          finish();
          claim?.release();
          // npx may have run a package of the project or used an unexpected cache, so a mark file records the success.
          if (!isComplete()) touch(mark);
        },
        ended() {
          finish();
          claim?.release();
          log?.close("remove");
        },
        detach() {
          finish();
          log?.close("keep");
        },
      };
    },
    npmLog({ command, args, env, cwd }, since) {
      const installer = installerOf(command, args);
      return installer && findNpmLog(installer, { env, cwd, since });
    },
    brokenNpxFolder({ command, args, env, cwd }, stderr) {
      const installer = installerOf(command, args);
      const npxFolder = installer && npxFolderOf(installer, env, cwd);
      if (npxFolder === undefined || isBeingInstalled(npxFolder, folder)) return undefined;
      return isBroken(npxFolder, stderr) ? npxFolder : undefined;
    },
  };
}

/** Whether a gateway that uses this installations folder is currently installing into the npx folder. */
export function isBeingInstalled(npxFolder: string, folder: string): boolean {
  return isInstallClaimed(keyOf(npxFolder), { folder, limitMs: MAX_INSTALL_MS });
}

function keyOf(what: string): string {
  return createHash("sha256").update(what).digest("hex").slice(0, 16);
}

/**
 * Identifies what a command installs. A command such as `npm install` names no package, so it is identified by its
 * complete command line and its working directory.
 */
function whatIsInstalled({ tool, packages }: Installer, { command, args, cwd }: CommandToStart): string {
  return JSON.stringify(packages.length > 0 ? [tool, ...packages] : [tool, command, args, cwd]);
}

/**
 * Releases the claim as soon as the installation is complete, so that other processes need not wait for the server's
 * first response.
 */
function releaseWhen(isDone: () => boolean, claim: InstallClaim | undefined): NodeJS.Timeout | undefined {
  if (claim === undefined) return undefined;
  const timer = setInterval(() => {
    if (!isDone()) return;
    claim.release();
    clearInterval(timer);
  }, POLL_MS);
  return timer.unref();
}

function touch(file: string): void {
  try {
    writeFileSync(file, "", { flag: "a", mode: 0o600 });
    utimesSync(file, new Date(), new Date());
  } catch {
    // Ignored: the only effect is that the next start is reported as an installation again.
  }
}

/** Removes expired logs and marks. Returns false if the folder is not writable. */
function sweep(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
  } catch {
    return false;
  }
  for (const name of readdirSync(folder)) {
    const retentionMs = name.endsWith(".done") ? MARK_RETENTION_MS : LOG_RETENTION_MS;
    const file = join(folder, name);
    const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > retentionMs) rmSync(file, { force: true });
  }
  return true;
}
