import { execFile } from "node:child_process";
import { promisify } from "node:util";

const LIMIT_MS = 60_000;
const QUESTION = "[y/N]";

export interface TerminalCommand {
  /** The program and its arguments. */
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Runs a command at a terminal, and types the answer when the command asks its question: the gateway discards what was
 * typed before. Resolves with everything that the terminal showed.
 */
export async function answerAtTerminal({ words, cwd, env }: TerminalCommand, answer: string): Promise<string> {
  const line = words.map((word) => `'${word}'`).join(" ");
  // The two variants of `script` take the command in different ways.
  const given = process.platform === "darwin" ? ["-q", "/dev/null", ...words] : ["-qec", line, "/dev/null"];
  const running = promisify(execFile)("script", given, { cwd, env: { ...env, TERM: "dumb" }, timeout: LIMIT_MS });
  let shown = "";
  running.child.stdout?.on("data", (part) => {
    const wasAsked = shown.includes(QUESTION);
    shown += String(part);
    if (!wasAsked && shown.includes(QUESTION)) running.child.stdin?.write(answer);
  });
  try {
    await running;
  } catch (error) {
    // A command that the user answers with no ends with another exit code than 0.
    if (!shown.includes(QUESTION)) throw error;
  }
  return shown;
}
