import { delimiter, join } from "node:path";
import { createTrust, isTrustOpen, type Trust } from "./config/trust.js";
import { findOwnProgram } from "./own-program.js";
import type { OwnProgram } from "./sources/itself.js";
import { DEPTH_VARIABLE } from "./upstreams/process/child-environment.js";
import { absolutePath } from "./util/home-path.js";
import type { Log, LogFacts } from "./util/log.js";
import { proxySecrets } from "./util/net/proxy.js";
import { createSecrets, type Secrets } from "./util/secrets.js";
import { homeOf, stateFolderOf } from "./util/state-folder.js";

/** Where this gateway runs: folders, environment, clock. Everything that a test wants to choose. */
export interface Place {
  readonly cwd: string;
  readonly home: string;
  readonly stateFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The files of this very gateway, which other programs' files may name. */
  readonly own: () => OwnProgram;
  /** Which files of projects the person has said yes to. */
  readonly trust: Trust;
  /** The time of day, for records. */
  readonly now: () => number;
  /** Milliseconds that only ever grow, for intervals. */
  readonly elapsed: () => number;
  /** Milliseconds of the machine since it was started: the same for all its processes, and nothing but a restart sets it back. */
  readonly steadyNow: () => number;
  /** What must not be seen in anything that this gateway says. */
  readonly secrets: Secrets;
  /** Takes any text: what must not be seen is hidden in it. */
  readonly log: Log;
  readonly isBrief: boolean;
  /** For the few messages that a person must see, whoever reads the log. */
  readonly warn: (message: string) => void;
}

/** What an embedding program may choose of it. */
export interface PlaceOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The folder for what outlives a process. Default: `ANYGPT_HOME`, else `~/.anygpt`. */
  readonly stateFolder?: string;
  /** The process ends soon and can wait for the disk itself: no thread is started for that. @internal */
  readonly isBrief?: boolean;
  readonly log?: (message: string, facts?: LogFacts) => void;
  /** Where messages go that must be seen. Default: `log`. @internal */
  readonly warn?: (message: string) => void;
}

export function toPlace(options: PlaceOptions): Place {
  const { cwd = process.cwd(), env = process.env, stateFolder, log = () => undefined, warn = log } = options;
  const home = homeOf(env);
  const depth = depthOf(env);
  let own: OwnProgram | undefined;
  const state = stateFolder === undefined ? stateFolderOf(env, cwd) : absolutePath(stateFolder, { home, baseDir: cwd });
  const secrets = createSecrets([...knownToAll(env), home, cwd, state]);
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

const NO_SECRETS = ["HOME", "USERPROFILE", "USER", "LOGNAME", "USERNAME", "SHELL", "PWD", "TMPDIR", "TEMP", "TMP"];
const MORE_NO_SECRETS = [
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

/** Values of variables that configurations refer to and that say nothing about anybody. */
function knownToAll(env: PlaceOptions["env"] & object): string[] {
  return [...NO_SECRETS, ...MORE_NO_SECRETS].flatMap((name) => {
    const value = env[name] ?? "";
    return name === "PATH" ? [value, ...value.split(delimiter)] : [value];
  });
}

function trustFolder(stateFolder: string): string {
  return join(stateFolder, "trust");
}

/** Notes and output of installations that servers' commands carry out. */
export function installsFolder(stateFolder: string): string {
  return join(stateFolder, "installs");
}

/** Written by who wants every running gateway to read its configuration again. */
export function reloadFile(stateFolder: string): string {
  return join(stateFolder, "reload");
}

/** Files of ours by whose change other processes tell a running gateway that it should look again. */
export function signalFiles(stateFolder: string): readonly string[] {
  return [reloadFile(stateFolder), trustFolder(stateFolder)];
}

/** How many gateways this one was started through. Every server is told, in case it is a gateway itself. */
export function depthOf(env: Readonly<Record<string, string | undefined>>): number {
  return Math.max(0, Number.parseInt(env[DEPTH_VARIABLE] ?? "", 10) || 0);
}
