// Runs programs that the user names or has: without a shell, and not as servers.
import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { existsSync } from "node:fs";
import { windowsCommandLine } from "../../upstreams/process/windows-command.js";

export interface RunProgramParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that the program runs in. */
  readonly cwd: string;
}

export interface ReadProgramParts extends RunProgramParts {
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 60_000;
const MOST_CHARACTERS = 1_000_000;

/** The standard output of a program; rejects when it fails, takes too long or writes too much. */
export async function readProgram(command: string, args: readonly string[], parts: ReadProgramParts): Promise<string> {
  const { signal, timeoutMs = TIMEOUT_MS } = parts;
  const child = start(command, args, { ...parts, stdio: ["ignore", "pipe", "ignore"] });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const stop = (): void => void child.kill("SIGKILL");
  limit.addEventListener("abort", stop, { once: true });
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    if (text.length > MOST_CHARACTERS) stop();
  });
  try {
    const code = await exitOf(child);
    if (code === 0) return text;
    throw new Error(`${command} ended with exit code ${code}.`);
  } finally {
    limit.removeEventListener("abort", stop);
  }
}

export interface TerminalParts extends RunProgramParts {
  /** Standard output is for JSON: what the program prints goes to standard error. */
  readonly keepsOutput: boolean;
}

/** Runs a program at the terminal of this process and gives its exit code; rejects when it cannot be started. */
export async function runAtTerminal(command: string, args: readonly string[], parts: TerminalParts): Promise<number> {
  return await exitOf(
    start(command, args, { ...parts, stdio: ["inherit", parts.keepsOutput ? 2 : "inherit", "inherit"] }),
  );
}

function start(
  command: string,
  args: readonly string[],
  { env, cwd, stdio }: RunProgramParts & { readonly stdio: StdioOptions },
): ChildProcess {
  const line =
    process.platform === "win32"
      ? windowsCommandLine(command, args, { env, cwd, exists: existsSync })
      : { file: command, args, verbatim: false };
  return spawn(line.file, [...line.args], { env, cwd, stdio, windowsVerbatimArguments: line.verbatim });
}

/** Exit code of a program that a signal ended: as shells have it for SIGKILL. */
const KILLED = 137;

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? KILLED));
  });
}
