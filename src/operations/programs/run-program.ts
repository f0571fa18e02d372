// Runs programs, such as the user's editor, without a shell.
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
const MAX_CHARACTERS = 1_000_000;

/** Returns the standard output of a program. Rejects if it fails, takes too long or writes too much. */
export async function readProgram(command: string, args: readonly string[], parts: ReadProgramParts): Promise<string> {
  const { signal, timeoutMs = TIMEOUT_MS } = parts;
  const child = start(command, args, { ...parts, stdio: ["ignore", "pipe", "ignore"] });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const stop = (): void => void child.kill("SIGKILL");
  limit.addEventListener("abort", stop, { once: true });
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    if (text.length > MAX_CHARACTERS) stop();
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
  /** True if standard output is reserved for JSON, so that the program's output goes to standard error. */
  readonly keepsOutput: boolean;
}

/** Runs a program in the terminal of this process and returns its exit code. Rejects if it cannot be started. */
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

/** The exit code for a program that was ended by any signal: the code that shells use for SIGKILL (128 + 9). */
const KILLED = 137;

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? KILLED));
  });
}
