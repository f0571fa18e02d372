// The bins: the only place that reads argv, process signals and sets the exit code.
import { isatty } from "node:tty";
import { ERRORS } from "./errors.js";
import type { CliIo } from "./surfaces/cli/io.js";

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
  const { runCli } = await import("./surfaces/cli/run.js");
  const stop = new AbortController();
  // The first signal asks; a second one insists.
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => (stop.signal.aborted ? process.exit(130) : stop.abort()));
  }
  const io: CliIo = {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd,
    isTerminal: { stdin: isatty(0), stdout: isatty(1), stderr: isatty(2) },
    columns: process.stdout.columns ?? 80,
    stderrColumns: process.stderr.columns ?? 80,
    signal: stop.signal,
    onReload: (listener) => void process.on("SIGHUP", listener),
  };
  // Nobody may be listening to what we log; that is no reason to fail.
  process.stderr.on("error", () => undefined);
  process.exitCode = await runCli(argv, io);
  // Who told us to stop does not wait for a reader that does not read.
  if (stop.signal.aborted) setTimeout(() => process.exit(), LAST_WORDS_MS).unref();
}

function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}
