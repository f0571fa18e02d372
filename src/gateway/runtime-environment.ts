import { delimiter, join } from "node:path";
import { createTrust, isTrustOpen, type Trust } from "../config/trust.js";
import { findOwnProgram } from "./self-detection.js";
import type { OwnProgram } from "../sources/itself.js";
import { DEPTH_VARIABLE } from "../upstreams/process/child-environment.js";
import { absolutePath } from "../util/home-path.js";
import type { Log, LogFacts } from "../util/log.js";
import { proxySecrets } from "../util/net/proxy.js";
import { createSecrets, type Secrets } from "../util/secrets.js";
import { assertStateFolderPrivate, homeOf, stateFolderOf } from "../util/state-folder.js";

/** The environment of this gateway: folders, environment variables, clocks, log. Tests replace parts of it. */
export interface RuntimeEnvironment {
  readonly cwd: string;
  readonly home: string;
  readonly stateFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * The paths of this gateway's program files. They are used to recognize the gateway in the configurations of MCP
   * clients.
   */
  readonly own: () => OwnProgram;
  /** Records which project files the user has trusted. */
  readonly trust: Trust;
  /** The system time in milliseconds since 1970, for stored timestamps. */
  readonly now: () => number;
  /** A monotonic clock in milliseconds, for measuring durations within this process. */
  readonly elapsed: () => number;
  /** Milliseconds since the machine was booted: the same for all processes, and monotonic until a reboot. */
  readonly steadyNow: () => number;
  /** The known secrets. They must be redacted in all output. */
  readonly secrets: Secrets;
  /** Writes a log message, after redacting secrets in the message and its facts. */
  readonly log: Log;
  /** Whether the process ends soon, like a CLI command. The store then starts no worker thread. */
  readonly isBrief: boolean;
  /** Shows a message that the user must see even if log messages are not shown. */
  readonly warn: (message: string) => void;
}

/** Options for the environment in which an engine runs. */
export interface RuntimeOptions {
  /** The working folder. Default: the working folder of the process. */
  readonly cwd?: string;
  /** The environment variables that the engine reads. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The folder for persistent data. Default: the variable `ANYGPT_HOME`, else `~/.anygpt`. */
  readonly stateFolder?: string;
  /** Whether the process ends soon and may block on disk access. The store then starts no worker thread. @internal */
  readonly isBrief?: boolean;
  /** Receives log messages in which secrets are redacted. Default: log messages are dropped. */
  readonly log?: (message: string, facts?: LogFacts) => void;
  /** Receives messages that the user must see. Default: `log`. @internal */
  readonly warn?: (message: string) => void;
}

export function toRuntimeEnvironment(options: RuntimeOptions): RuntimeEnvironment {
  const { cwd = process.cwd(), env = process.env, stateFolder, log = () => undefined, warn = log } = options;
  const home = homeOf(env);
  const depth = depthOf(env);
  let own: OwnProgram | undefined;
  const state = stateFolder === undefined ? stateFolderOf(env, cwd) : absolutePath(stateFolder, { home, baseDir: cwd });
  assertStateFolderPrivate(state);
  const secrets = createSecrets([...publicValues(env), home, cwd, state]);
  for (const secret of proxySecrets(env)) secrets.note(secret);
  return {
    cwd,
    env: { ...env, [DEPTH_VARIABLE]: String(depth + 1) },
    home,
    own: () => (own ??= findOwnProgram(env)),
    stateFolder: state,
    isBrief: options.isBrief === true,
    trust: createTrust({ folder: trustFolder(state), now: Date.now, isOpen: isTrustOpen(env) }),
    now: Date.now,
    elapsed: () => performance.now(),
    steadyNow: () => Number(process.hrtime.bigint() / 1_000_000n),
    secrets,
    log: (message, facts) => log(secrets.redact(message), facts && redacted(facts, secrets)),
    warn: (message) => warn(secrets.redact(message)),
  };
}

function redacted(facts: LogFacts, secrets: Secrets): LogFacts {
  return secrets.redactValue(facts) as LogFacts;
}

const USER_VARIABLES = ["HOME", "USERPROFILE", "USER", "LOGNAME", "USERNAME", "SHELL", "PWD", "TMPDIR", "TEMP", "TMP"];
const SYSTEM_VARIABLES = [
  "LANG",
  "LANGUAGE",
  "LC_ALL",
  "TERM",
  "TZ",
  "HOSTNAME",
  "ANYGPT_HOME",
  "ANYGPT_CONFIG",
  "PATH",
];

/** Values of common environment variables that are not secret and must not be redacted. */
function publicValues(env: RuntimeOptions["env"] & object): string[] {
  return [...USER_VARIABLES, ...SYSTEM_VARIABLES].flatMap((name) => {
    const value = env[name] ?? "";
    return name === "PATH" ? [value, ...value.split(delimiter)] : [value];
  });
}

function trustFolder(stateFolder: string): string {
  return join(stateFolder, "trust");
}

/**
 * The folder with the state and output of package installations, which commands such as `npx` perform when a server
 * starts.
 */
export function installsFolder(stateFolder: string): string {
  return join(stateFolder, "installs");
}

/** The path of the file with the bearer token for the HTTP endpoints of this user's gateways. */
export function tokenFile(stateFolder: string): string {
  return join(stateFolder, "http.token");
}

/** The path of a file that a process writes to make every running gateway reload its configuration. */
export function reloadFile(stateFolder: string): string {
  return join(stateFolder, "reload");
}

/** Files in the state folder that a running gateway watches: other processes change them to request a reload. */
export function signalFiles(stateFolder: string): readonly string[] {
  return [reloadFile(stateFolder), trustFolder(stateFolder)];
}

/**
 * The nesting depth: how many gateways are ancestors of this process. It is passed on to every server process, which
 * may itself be a gateway.
 */
export function depthOf(env: Readonly<Record<string, string | undefined>>): number {
  return Math.max(0, Number.parseInt(env[DEPTH_VARIABLE] ?? "", 10) || 0);
}
