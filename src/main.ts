// Entry points of the programs `anygpt` and `discovery`. Only this file reads argv, handles signals and sets the exit
// code.
import { isatty } from "node:tty";
import { type ClientOutcome, runInDaemon } from "./daemon/client.js";
import { usesDaemon } from "./daemon/commands.js";
import { ERRORS } from "./errors.js";

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
  process.exitCode = await runCommand(argv, ioOf(cwd, stop.signal, reloadRequests(argv)));
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
  const { reportLostDaemon, runCli } = await import("./surfaces/cli/run.js");
  if (outcome.kind === "lost") return reportLostDaemon(argv, io);
  if (outcome.notice !== undefined) process.stderr.write(`! ${outcome.notice}\n`);
  return await runCli(argv, io);
}

/**
 * Registers a SIGHUP handler that makes `serve` reload its configuration. A SIGHUP that arrives during startup must not
 * terminate the process.
 */
function reloadRequests(argv: readonly string[]): (listener: () => void) => void {
  let isPending = false;
  const hold = (): void => void (isPending = true);
  if (argv.includes("serve")) process.on("SIGHUP", hold);
  return (listener) => {
    process.off("SIGHUP", hold).on("SIGHUP", listener);
    if (isPending) listener();
  };
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
