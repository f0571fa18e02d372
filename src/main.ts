// The bins: the only place that reads argv, process signals and sets the exit code.
import { isatty } from "node:tty";
import { type ClientOutcome, runInDaemon } from "./daemon/client.js";
import { usesDaemon } from "./daemon/commands.js";
import { DiscoveryError, ERRORS } from "./errors.js";

const LAST_WORDS_MS = 1000;

/** `discovery …` is `anygpt mcp serve …`, and tells its version too. */
export async function runDiscovery(): Promise<void> {
  const words = process.argv.slice(2);
  await run(words[0] === "--version" || words[0] === "-V" ? words : ["mcp", "serve", ...words]);
}

export async function runAnygpt(): Promise<void> {
  await run(process.argv.slice(2));
}

async function run(argv: readonly string[]): Promise<void> {
  const cwd = currentFolder();
  if (cwd === undefined) {
    process.stderr.write("✗ The current folder does not exist any more; change to one that does.\n");
    process.exitCode = ERRORS.CONFIGURATION_ERROR.exit;
    return;
  }
  const stop = new AbortController();
  // The first signal asks; a second one insists.
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => (stop.signal.aborted ? process.exit(130) : stop.abort()));
  }
  // Nobody may be listening to what we log; that is no reason to fail.
  process.stderr.on("error", () => undefined);
  process.exitCode = await runWords(argv, ioOf(cwd, stop.signal));
  // Who told us to stop does not wait for a reader that does not read.
  if (stop.signal.aborted) setTimeout(() => process.exit(), LAST_WORDS_MS).unref();
}

type Io = ReturnType<typeof ioOf>;

/** The rest of the program is loaded only where the background gateway does not run the command. */
async function runWords(argv: readonly string[], io: Io): Promise<number> {
  const outcome: ClientOutcome = usesDaemon(argv, io.env)
    ? await runInDaemon(argv, { ...io, parentPid: process.ppid })
    : { kind: "unavailable" };
  if (outcome.kind === "exited") return outcome.exitCode;
  const { reportOutside, runCli } = await import("./surfaces/cli/run.js");
  if (outcome.kind === "lost") return reportOutside(lost(), argv, io);
  if (outcome.notice !== undefined) process.stderr.write(`! ${outcome.notice}\n`);
  return await runCli(argv, io);
}

function lost(): DiscoveryError {
  return new DiscoveryError("INTERNAL_ERROR", "The background gateway ended before the command did.", {
    hint: "A tool that the command called may have run: see `anygpt mcp audit`. `anygpt mcp daemon logs` says why it ended.",
  });
}

function ioOf(cwd: string, signal: AbortSignal) {
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
    onReload: (listener: () => void) => void process.on("SIGHUP", listener),
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
