// The daemon: listens on its socket, runs command lines for clients, and exits when it is idle.
import { chmodSync, lstatSync, renameSync, rmSync, utimesSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { CommandIo, RemoteCommand } from "./command-io.js";
import { serverCommand } from "./commands.js";
import { serveConnection } from "./connection.js";
import { differingVariables } from "./environment.js";
import { listenAddress } from "./handshake.js";
import { buildStamp, type DaemonPaths } from "./paths.js";
import { HEARTBEAT_MS } from "./registry.js";
import type { CommandAnswer, CommandRequest, DaemonStatus } from "./requests.js";

export interface DaemonParts {
  readonly paths: DaemonPaths;
  /** The key for the handshake with clients. */
  readonly key: Buffer;
  /** The environment that servers are started with. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly idleMs: number;
  readonly run: (argv: readonly string[], io: CommandIo) => Promise<number>;
  /**
   * Returns the reason why a command cannot run in this daemon although its environment is the same. Undefined if it
   * can.
   */
  readonly refusal: (request: CommandRequest) => string | undefined;
  readonly describe: () => Pick<DaemonStatus, "version" | "servers">;
  readonly log: (message: string) => void;
  readonly checkMs?: number;
  /** Time limit for a client to prove that it has the key. */
  readonly proofMs?: number;
}

export interface Daemon {
  /** Accepts no more commands. Running commands finish, or are interrupted after `graceMs`. */
  leave(reason: string, graceMs?: number): void;
  readonly ended: Promise<void>;
}

const PROOF_MS = 3000;
const MAX_UNAUTHENTICATED = 64;
/** How long running commands may take to finish after `daemon stop`. */
const STOP_GRACE_MS = 10_000;
/** How long an interrupted command may take to end. */
const END_GRACE_MS = 5000;

export async function serveDaemon(parts: DaemonParts): Promise<Daemon> {
  const { paths, idleMs, log, checkMs = HEARTBEAT_MS } = parts;
  const since = new Date();
  const build = buildStamp();
  const open = new Set<Socket>();
  const running = new Set<RemoteCommand>();
  let unauthenticated = 0;
  let served = 0;
  let idleSince = performance.now();
  let idleTimer: NodeJS.Timeout | undefined;
  let leaving: string | undefined;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));

  const startIdling = (): void => {
    clearTimeout(idleTimer);
    if (running.size > 0) return;
    idleSince = performance.now();
    if (leaving === undefined) {
      idleTimer = setTimeout(() => leave(`No command for ${Number((idleMs / 60_000).toFixed(2))} minutes.`), idleMs);
    } else for (const socket of open) endSoon(socket);
    endIfDone();
  };
  const endIfDone = (): void => {
    if (leaving !== undefined && running.size === 0 && open.size === 0) end();
  };

  const leave: Daemon["leave"] = (reason, graceMs) => {
    if (leaving === undefined) {
      leaving = reason;
      log(`The daemon accepts no more commands: ${reason}`);
      clearTimeout(idleTimer);
      clearInterval(check);
      server.close();
      removeOwnSocket(paths.socket, identity);
    }
    if (graceMs !== undefined) {
      setTimeout(() => {
        for (const command of running) command.interrupt();
        setTimeout(() => {
          for (const socket of open) socket.destroy();
          end();
        }, END_GRACE_MS).unref();
      }, graceMs).unref();
    }
    // Deferred, so that a client that requested the stop receives its response first.
    setImmediate(startIdling);
  };

  const admit = (request: CommandRequest): CommandAnswer => {
    const refusal = parts.refusal(request);
    if (refusal !== undefined) return { kind: "refused", reason: refusal };
    const names = differingVariables(parts.env, request.env);
    if (names.length > 0) leave(`The environment differs in ${names.join(", ")}.`);
    return leaving === undefined ? { kind: "accepted" } : { kind: "leaving", reason: leaving };
  };

  const run = async (request: CommandRequest, command: RemoteCommand): Promise<number> => {
    running.add(command);
    clearTimeout(idleTimer);
    const began = performance.now();
    const exitCode = await parts.run(request.argv, command.io).catch((error: unknown) => {
      log(`A command failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      return 1;
    });
    running.delete(command);
    served += 1;
    log(
      `${serverCommand(request.argv) ?? "A command"} ended with exit code ${exitCode} after ${Math.round(performance.now() - began)} ms.`,
    );
    // Deferred, so that the exit code is sent first.
    setImmediate(startIdling);
    return exitCode;
  };

  const status = (): DaemonStatus => ({
    pid: process.pid,
    since: since.toISOString(),
    cwd: paths.cwd,
    config: paths.config ?? null,
    running: running.size,
    served,
    idleSeconds: running.size > 0 ? 0 : (performance.now() - idleSince) / 1000,
    memoryBytes: process.memoryUsage.rss(),
    isLeaving: leaving !== undefined,
    ...parts.describe(),
  });

  const accept = (socket: Socket): void => {
    if (unauthenticated >= MAX_UNAUTHENTICATED) return void socket.destroy();
    unauthenticated += 1;
    let isAuthenticated = false;
    const onAuthenticated = (): void => {
      if (!isAuthenticated) unauthenticated -= 1;
      isAuthenticated = true;
    };
    open.add(socket);
    socket.once("close", () => {
      onAuthenticated();
      open.delete(socket);
      endIfDone();
    });
    serveConnection(socket, {
      key: parts.key,
      proofMs: parts.proofMs ?? PROOF_MS,
      onAuthenticated,
      admit,
      run,
      answer(request) {
        if (request.kind === "stop") leave("A client requested the stop.", STOP_GRACE_MS);
        return status();
      },
    });
  };

  const server = createServer(accept);
  const identity = await listen(server, paths, parts.key);
  const check = setInterval(() => {
    touchInfoFile(paths.infoFile);
    const why = whyToLeave(paths, identity, build);
    if (why !== undefined) leave(why);
  }, checkMs);
  startIdling();
  return { leave, ended };
}

/**
 * Ends a connection. Waits for a client that still reads output; disconnects a client that has all output but stays
 * connected.
 */
function endSoon(socket: Socket): void {
  socket.end();
  setTimeout(() => (socket.writableLength === 0 ? socket.destroy() : undefined), END_GRACE_MS).unref();
}

/** Binds the socket to a temporary path and renames it, which replaces the socket of a dead daemon atomically. */
async function listen(server: Server, paths: DaemonPaths, key: Buffer): Promise<string | undefined> {
  const isPipe = process.platform === "win32";
  const draft = join(paths.socketFolder, `${paths.key}.${process.pid}`);
  const address = isPipe ? listenAddress(paths.socket, key) : draft;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(address, () => resolve());
  });
  if (isPipe) return undefined;
  chmodSync(draft, 0o600);
  renameSync(draft, paths.socket);
  return identityOf(paths.socket);
}

/** Updates the modification time of the info file, which shows other processes that the daemon does not hang. */
function touchInfoFile(infoFile: string): void {
  try {
    utimesSync(infoFile, new Date(), new Date());
  } catch {
    // The file does not exist yet or was removed.
  }
}

/** Why the daemon must exit: another daemon replaced it, the state folder was removed, or the program was replaced. */
function whyToLeave(paths: DaemonPaths, identity: string | undefined, build: string): string | undefined {
  if (identity !== undefined && identityOf(paths.socket) !== identity)
    return "The daemon's socket was removed or replaced.";
  try {
    return buildStamp() === build ? undefined : "The program was replaced by another version.";
  } catch {
    return "The program was removed.";
  }
}

function identityOf(file: string): string | undefined {
  try {
    const { dev, ino } = lstatSync(file);
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

function removeOwnSocket(socket: string, identity: string | undefined): void {
  if (identity !== undefined && identityOf(socket) === identity) rmSync(socket, { force: true });
}
