import { createHash } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { builtFile } from "../util/built-file.js";
import { absolutePath } from "../util/home-path.js";
import { homeOf, stateFolderOf } from "../util/state-folder.js";

/** The files of one daemon. There is one daemon per configuration, working folder, state folder and build. */
export interface DaemonPaths {
  readonly key: string;
  readonly stateFolder: string;
  /**
   * The daemon's working folder with symbolic links resolved. Project files, `.env` files and server processes depend
   * on it.
   */
  readonly cwd: string;
  /** The configuration file given with `--config`. */
  readonly configOption: string | undefined;
  /** The configuration file given with `--config` or `ANYGPT_CONFIG`. */
  readonly config: string | undefined;
  /** The folder with all files of the daemon, except the socket if its path would be too long. */
  readonly folder: string;
  readonly socketFolder: string;
  readonly socket: string;
  readonly infoFile: string;
  readonly logFile: string;
  readonly lockFile: string;
  /** The file from which client and daemon derive the authentication key. */
  readonly keyFile: string;
}

export interface DaemonPathsParts {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly configPath?: string | undefined;
}

/** Maximum length of a socket path. `sun_path` of a socket address has 104 bytes on macOS and 108 on Linux. */
const MAX_SOCKET_PATH_BYTES = 100;
const KEY_LENGTH = 16;

export function daemonPaths({ cwd, env, configPath }: DaemonPathsParts): DaemonPaths {
  const home = homeOf(env);
  const stateFolder = stateFolderOf(env, cwd);
  const folder = runFolder(stateFolder);
  const toAbsolute = (file: string | undefined): string | undefined =>
    file === undefined ? undefined : absolutePath(file, { home, baseDir: cwd });
  const configOption = toAbsolute(configPath);
  const config = configOption ?? toAbsolute(env["ANYGPT_CONFIG"] || undefined);
  const realCwd = realpathSync(cwd);
  const key = shortHash([stateFolder, realCwd, config ?? null, home, process.execPath, process.version, buildStamp()]);
  const socketFolder = socketFolderFor(folder, stateFolder);
  return {
    key,
    stateFolder,
    cwd: realCwd,
    configOption,
    config,
    folder,
    socketFolder,
    socket: join(socketFolder, `${key}.sock`),
    infoFile: join(folder, `${key}.json`),
    logFile: join(folder, `${key}.log`),
    lockFile: join(folder, `${key}.lock`),
    keyFile: join(stateFolder, "audit.key"),
  };
}

export function runFolder(stateFolder: string): string {
  return join(stateFolder, "run");
}

/**
 * The program that daemons run. It must be the CLI's bin file, by which a gateway recognizes other gateways among its
 * ancestor processes.
 */
export function daemonProgram(): string {
  return join(dirname(dirname(builtFile("main.cjs"))), "bin", "anygpt.js");
}

/**
 * Identifies the build of this program: changes with an upgrade or a rebuild. Modules are loaded lazily and must all
 * come from one build.
 */
export function buildStamp(): string {
  const file = builtFile("main.cjs");
  const { ino, size, mtimeMs } = statSync(file);
  return `${file}:${ino}:${size}:${mtimeMs}`;
}

/**
 * The folder for the socket: the run folder or, if the socket path would be too long there, a private temporary folder.
 */
function socketFolderFor(folder: string, stateFolder: string): string {
  const name = `anygpt-${process.getuid?.() ?? 0}-${shortHash([stateFolder])}`;
  const temporary = [tmpdir(), "/tmp"].map((parent) => join(parent, name));
  return [folder, ...temporary].find(isShortEnough) ?? folder;
}

/**
 * Whether socket paths in the folder are short enough. A daemon binds `KEY.PID` first and then renames it to
 * `KEY.sock`.
 */
function isShortEnough(folder: string): boolean {
  const longest = Buffer.byteLength(join(folder, "k".repeat(KEY_LENGTH))) + ".4194304".length;
  return longest <= MAX_SOCKET_PATH_BYTES;
}

function shortHash(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, KEY_LENGTH);
}
