// The process of the background gateway: it keeps one engine open and runs commands of CLI clients on it.
import { type CommandIo } from "../../daemon/command-io.js";
import { handshakeKey } from "../../daemon/handshake.js";
import { createLogFile } from "../../daemon/log-file.js";
import { daemonPaths } from "../../daemon/paths.js";
import { openPrivateFolder } from "../../daemon/private-folder.js";
import { registerDaemon, removeOldLogs, stopSurplus, unregisterDaemon } from "../../daemon/registry.js";
import type { CommandRequest } from "../../daemon/requests.js";
import { serveDaemon } from "../../daemon/server.js";
import { toDiscoveryError } from "../../errors.js";
import { findOwnProgram, hasOwnAncestor } from "../../gateway/self-detection.js";
import { checkForUpdate } from "../update/check-update.js";
import { stateFolderOf } from "../../util/state-folder.js";
import { describeDifference } from "../../gateway/configuration-difference.js";
import { createLocalKey } from "../../util/local-key.js";
import { VERSION } from "../../version.js";
import { createSharedEngine, type SharedEngine } from "./shared-engine.js";

/** The process that hosts the background gateway. */
export interface DaemonProcess {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Registers a listener for requests to reload the configuration (SIGHUP). */
  readonly onReload?: (listener: () => void) => void;
  /** Registers a listener for uncaught errors, which then do not end the process. */
  readonly onCrash?: (listener: (error: unknown) => void) => void;
}

/** Runs the command line of a client on the engine of the background gateway. */
export type RunRemote = (argv: readonly string[], io: CommandIo, engine: SharedEngine) => Promise<number>;

const USUAL_IDLE_MINUTES = 15;

/** Serves CLI clients until the process gets a signal or has been idle for the configured time. */
export async function hostDaemon(configPath: string | undefined, io: DaemonProcess, run: RunRemote): Promise<void> {
  const paths = daemonPaths({ cwd: io.cwd, env: io.env, configPath });
  openPrivateFolder(paths.folder);
  openPrivateFolder(paths.socketFolder);
  const log = createLogFile(paths.logFile, Date.now);
  const key = handshakeKey(await createLocalKey(paths.keyFile, log)());
  const shared = createSharedEngine({ cwd: io.cwd, env: io.env, configPath: paths.configOption, log });
  const own = findOwnProgram(io.env);
  const daemon = await serveDaemon({
    paths,
    key,
    env: io.env,
    idleMs: idleMinutes(io.env["ANYGPT_DAEMON_IDLE_MINUTES"]) * 60_000,
    async run(argv, remote) {
      const exitCode = await shared.during((engine) => run(argv, remote, engine));
      void checkForUpdate({
        stateFolder: stateFolderOf(io.env, io.cwd),
        env: remote.env,
        isWanted: shared.config()?.updateNotice ?? true,
        now: Date.now,
      });
      return exitCode;
    },
    refusal: ({ parentPid, argv }: CommandRequest) =>
      hasOwnAncestor(own, parentPid) ? `A gateway started ${argv[0] ?? "this command"}.` : undefined,
    describe: () => ({ version: VERSION, servers: shared.openServers() }),
    log,
  });
  io.signal.addEventListener("abort", () => daemon.leave("The background gateway received a signal.", 0), {
    once: true,
  });
  io.onReload?.(() => void shared.reload());
  io.onCrash?.((error) => {
    log(shared.redact(error instanceof Error ? (error.stack ?? error.message) : String(error)));
    daemon.leave("An uncaught error occurred.");
  });
  log(`Started, version ${VERSION}, process ${process.pid}, in ${paths.cwd}.`);
  await registerDaemon(paths);
  shared.open((reload) =>
    log(
      reload.kind === "done"
        ? `The configuration was reloaded: ${describeDifference(reload.difference)}.`
        : `The configuration could not be reloaded: ${toDiscoveryError(reload.reason).message}`,
    ),
  );
  await Promise.all([stopSurplus(paths), removeOldLogs(paths)]);
  await daemon.ended;
  await shared.close();
  await unregisterDaemon(paths);
  log("Ended.");
}

function idleMinutes(text: string | undefined): number {
  const minutes = Number(text);
  return text !== undefined && text.trim() !== "" && minutes > 0 && minutes < 24 * 60 ? minutes : USUAL_IDLE_MINUTES;
}
