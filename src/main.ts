// Entry points of the programs `anygpt` and `discovery`. Only this file reads argv, handles signals and sets the exit
// code.
import { settleHangup } from "./early-signals.js";
import { isatty } from "node:tty";
import { type ClientOutcome, runInDaemon } from "./daemon/client.js";
import { DAEMON_COMMAND, usesDaemon } from "./daemon/commands.js";
import { ERRORS } from "./errors.js";
import { discardTyped } from "./util/discard-typed.js";
import { hideEnvironment } from "./util/hide-environment.js";

const OUTPUT_GRACE_MS = 1000;

/** `discovery …` is short for `anygpt mcp serve …`; it also accepts `--version`. */
export async function runDiscovery(): Promise<void> {
  const args = process.argv.slice(2);
  await run(args[0] === "--version" || args[0] === "-V" ? args : ["mcp", "serve", ...args]);
}

export async function runAnygpt(): Promise<void> {
  await run(process.argv.slice(2));
}

async function run(argv: readonly string[]): Promise<void> {
  const isServing = argv.includes("serve") || argv[0] === DAEMON_COMMAND;
  if (!isServing) settleHangup(undefined);
  const cwd = currentFolder();
  if (cwd === undefined) {
    process.stderr.write("✗ The current folder does not exist any more. Change to an existing folder.\n");
    process.exitCode = ERRORS.CONFIGURATION_ERROR.exit;
    return;
  }
  const stop = new AbortController();
  // The first SIGINT or SIGTERM stops the program gracefully; the second one ends it at once.
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => (stop.signal.aborted ? process.exit(130) : stop.abort()));
  }
  // The reader of stderr may have closed it. The program must not fail because a log message cannot be written.
  process.stderr.on("error", () => undefined);
  process.exitCode = await runCommand(argv, ioOf(cwd, stop.signal, settleHangup));
  // After a stop signal, exit even if the reader of stdout does not read the remaining output.
  if (stop.signal.aborted) setTimeout(() => process.exit(), OUTPUT_GRACE_MS).unref();
}

type Io = ReturnType<typeof ioOf>;

/**
 * Runs a CLI command. The code of the CLI is loaded only if the daemon does not run the command, so that commands start
 * faster.
 */
async function runCommand(argv: readonly string[], io: Io): Promise<number> {
  const outcome: ClientOutcome = usesDaemon(argv, io.env)
    ? await runInDaemon(argv, { ...io, parentPid: process.ppid })
    : { kind: "unavailable" };
  if (outcome.kind === "exited") return outcome.exitCode;
  // Before this process starts a server, which could read the environment.
  hideEnvironment(process.env);
  const { reportLostDaemon, runCli } = await import("./surfaces/cli/run.js");
  if (outcome.kind === "lost") return reportLostDaemon(argv, io);
  if (outcome.notice !== undefined) process.stderr.write(`! ${outcome.notice}\n`);
  return await runCli(argv, io);
}

function ioOf(cwd: string, signal: AbortSignal, onReload: (listener: () => void) => void) {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd,
    isTerminal: { stdin: isatty(0), stdout: isatty(1), stderr: isatty(2) },
    columns: process.stdout.columns ?? 80,
    stderrColumns: process.stderr.columns ?? 80,
    signal,
    discardInput: () => discardTyped(process.stdin),
    onReload,
    onCrash(listener: (error: unknown) => void) {
      process.on("uncaughtException", listener);
      process.on("unhandledRejection", listener);
    },
  };
}

function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}
