// Runs one command line in the daemon with the streams of this process. Every start of the CLI loads this module first,
// so it must stay small.
import type { Readable, Writable } from "node:stream";
import { discardTyped } from "../util/discard-typed.js";
import { watchOutput } from "../util/watch-output.js";
import { type DaemonChannel, AbsentError, openChannel, SilentError } from "./channel.js";
import { configOption } from "./commands.js";
import { FRAME, writeFrame, writePieces } from "./frames.js";
import { type DaemonPaths, daemonPaths } from "./paths.js";
import type { CommandAnswer, CommandRequest } from "./requests.js";

export interface ClientIo {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly isTerminal: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean };
  readonly columns: number;
  readonly stderrColumns: number;
  /** Aborted when the user presses Ctrl-C. */
  readonly signal: AbortSignal;
  readonly parentPid: number;
}

export type ClientOutcome =
  | { readonly kind: "exited"; readonly exitCode: number }
  /** The command did not start: the caller must run it itself. `notice` is a warning for the user. */
  | { readonly kind: "unavailable"; readonly notice?: string }
  /** The connection to the daemon was lost while the command was running, so the command's outcome is unknown. */
  | { readonly kind: "lost" };

/** Maximum number of attempts to run a command. An attempt fails if the daemon is shutting down. */
const MAX_TRIES = 3;

export async function runInDaemon(argv: readonly string[], io: ClientIo): Promise<ClientOutcome> {
  const report = argv.includes("--verbose") ? (text: string) => void io.stderr.write(`${text}\n`) : () => undefined;
  try {
    const paths = daemonPaths({ cwd: io.cwd, env: io.env, configPath: configOption(argv) });
    for (let tries = 0; tries < MAX_TRIES && !io.signal.aborted; tries++) {
      const channel = await attach(paths, io, report);
      const answer = (await channel.ask(toRequest(argv, io))) as CommandAnswer;
      if (answer.kind === "accepted") return await follow(channel, io);
      channel.close();
      if (answer.kind === "refused") return { kind: "unavailable" };
      report(`The background gateway is replaced: ${answer.reason}`);
    }
    return { kind: "unavailable" };
  } catch (error) {
    if (io.signal.aborted) return { kind: "unavailable" };
    const why = error instanceof Error ? error.message : String(error);
    return { kind: "unavailable", notice: `Running without the background gateway: ${why}` };
  }
}

async function attach(paths: DaemonPaths, io: ClientIo, report: (text: string) => void): Promise<DaemonChannel> {
  try {
    return await openChannel(paths);
  } catch (error) {
    const isHung = error instanceof SilentError && (await (await import("./registry.js")).killIfHung(paths));
    if (isHung) report("The background gateway did not respond and was killed.");
    else if (!(error instanceof AbsentError)) throw error;
    const { startDaemon } = await import("./start.js");
    const channel = await startDaemon({ paths, env: io.env, signal: io.signal });
    report("The background gateway was started; `anygpt mcp daemon stop` ends it.");
    return channel;
  }
}

function toRequest(argv: readonly string[], io: ClientIo): CommandRequest {
  const { cwd, isTerminal, columns, stderrColumns, parentPid } = io;
  const env = Object.fromEntries(
    Object.entries(io.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  return { kind: "command", argv, cwd, env, isTerminal, columns, stderrColumns, parentPid };
}

/**
 * Starts the accepted command and forwards its input and output until it has ended. The caller must not run the command
 * a second time.
 */
async function follow(channel: DaemonChannel, io: ClientIo): Promise<ClientOutcome> {
  const { socket } = channel;
  let exitCode: number | undefined;
  const input = forwardInput(channel, io.stdin);
  const settle = watchOutput(io.stdout, io.stderr);
  const write = (output: Writable, data: Buffer): void => {
    if (output.destroyed || output.errored !== null || output.write(data) || socket.isPaused()) return;
    socket.pause();
    const resume = (): void => {
      output.off("drain", resume).off("close", resume);
      socket.resume();
    };
    output.on("drain", resume).on("close", resume);
  };
  channel.onFrame((kind, payload) => {
    if (kind === FRAME.stdout) write(io.stdout, payload);
    else if (kind === FRAME.stderr) write(io.stderr, payload);
    else if (kind === FRAME.inputWanted) input.start();
    else if (kind === FRAME.inputUnwanted) input.stop();
    else if (kind === FRAME.discardInput) void input.discard();
    else if (kind === FRAME.exit) exitCode = payload[0] ?? 0;
  });
  const interrupt = (): void => void writeFrame(socket, FRAME.interrupt);
  io.signal.addEventListener("abort", interrupt, { once: true });
  writeFrame(socket, FRAME.go);
  if (io.signal.aborted) interrupt();
  await channel.closed;
  io.signal.removeEventListener("abort", interrupt);
  input.stop();
  if (exitCode === undefined) return { kind: "lost" };
  return { kind: "exited", exitCode: await settle(exitCode) };
}

interface InputForwarder {
  start(): void;
  stop(): void;
  discard(): Promise<void>;
}

/**
 * Reads input only while the command reads it, so that unread input stays available to the next program that reads the
 * terminal or pipe.
 */
function forwardInput({ socket }: DaemonChannel, stdin: Readable): InputForwarder {
  const onData = (chunk: Buffer | string): void => {
    stdin.pause();
    writePieces(socket, FRAME.input, Buffer.from(chunk));
  };
  const onEnd = (): void => void writeFrame(socket, FRAME.inputEnd);
  let isListening = false;
  return {
    start() {
      if (!isListening) {
        isListening = true;
        stdin.on("data", onData).once("end", onEnd).once("error", onEnd);
      }
      if (stdin.readableEnded) onEnd();
      else stdin.resume();
    },
    stop: () => void (isListening && stdin.pause()),
    async discard() {
      stdin.off("data", onData);
      const isQuiet = await discardTyped(stdin);
      if (isListening) stdin.on("data", onData).pause();
      writeFrame(socket, FRAME.inputDiscarded, Buffer.from([isQuiet ? 1 : 0]));
    },
  };
}
