import { Writable } from "node:stream";
import { interrupted } from "../util/interrupted.js";
import { BLANK, line } from "./lines.js";
import type { Terminal } from "./terminal.js";

/** Whether a user can answer questions: they are written to standard error and answered on standard input. */
export function isAttended({ io }: Pick<Terminal, "io">): boolean {
  return io.isTerminal.stdin === true && io.isTerminal.stderr;
}

/**
 * Whether the command may ask a question that the user did not expect: only if input and both outputs are terminals,
 * and without `--json`.
 */
export function canInterrupt(terminal: Terminal): boolean {
  return !terminal.isJson && isAttended(terminal) && terminal.io.isTerminal.stdout;
}

/** `unanswered`: the input ended without an answer. Every answer other than `y` or `yes` counts as no. */
export type UserAnswer = "yes" | "no" | "unanswered";

/** Asks for consent. What the user has typed before the question appears does not answer it. */
export async function ask(question: string, terminal: Terminal, signal = terminal.io.signal): Promise<UserAnswer> {
  if ((await terminal.io.discardInput?.()) === false) return "unanswered";
  const answer = await askLine(`${question} [y/N]`, terminal, signal);
  if (answer === undefined) return "unanswered";
  return /^\s*y(?:es)?\s*$/i.test(answer) ? "yes" : "no";
}

/** Whether the user answers yes. */
export async function isConfirmed(question: string, terminal: Terminal): Promise<boolean> {
  return (await ask(question, terminal)) === "yes";
}

/** Whether the user agrees: by an option such as `--yes`, or by answering the question. False without a terminal. */
export async function isAgreed(question: string, isGiven: boolean, terminal: Terminal): Promise<boolean> {
  return isGiven || (canInterrupt(terminal) && (await isConfirmed(question, terminal)));
}

/** The line that the user types; undefined when the input ended without one. */
export async function askLine(
  question: string,
  terminal: Terminal,
  signal = terminal.io.signal,
): Promise<string | undefined> {
  const { createInterface } = await import("node:readline/promises");
  const { stdin } = terminal.io;
  // readline emits no `close` event for an input that has already ended, so the wait below would never end.
  if (stdin.readableEnded) return undefined;
  return await terminal.withoutProgress(async () => {
    const prompt = createInterface({ input: stdin });
    const ended = new Promise<undefined>((resolve) => prompt.once("close", () => resolve(undefined)));
    try {
      terminal.prompt(line(0, question));
      // The input may have ended since the check above.
      const answer = stdin.readableEnded ? undefined : await Promise.race([prompt.question("", { signal }), ended]);
      // The cursor is still on the line of the question, so end this line.
      if (answer === undefined) terminal.note([BLANK]);
      return answer;
    } catch (error) {
      throw toInterruption(error, terminal, signal);
    } finally {
      prompt.close();
    }
  });
}

/** Asks for a line without echoing it on the terminal. */
export async function askHidden(question: string, terminal: Terminal): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const { signal, stdin } = terminal.io;
  return await terminal.withoutProgress(async () => {
    // In terminal mode, readline writes the typed characters to its `output`. This stream discards them.
    const discarded = new Writable({ write: (_chunk, _encoding, done) => done() });
    const prompt = createInterface({ input: stdin, output: discarded, terminal: true });
    const ended = new Promise<string>((resolve) => prompt.once("close", () => resolve("")));
    const stopped = new Promise<never>((_, reject) => prompt.once("SIGINT", () => reject(interrupted())));
    try {
      terminal.note([line(0, question)]);
      return (await Promise.race([prompt.question("", { signal }), ended, stopped])).trim();
    } catch (error) {
      throw toInterruption(error, terminal, signal);
    } finally {
      prompt.close();
    }
  });
}

/**
 * The error to throw. After Ctrl-C, ends the line of the question, where the terminal has printed ^C, and returns the
 * error for an interruption.
 */
function toInterruption(error: unknown, terminal: Terminal, signal: AbortSignal): unknown {
  if (!signal.aborted) return error;
  terminal.note([BLANK]);
  return interrupted();
}

/**
 * Reads the rows that the user pastes into the terminal. Stops at an empty row if `isWhole` accepts the text before it,
 * or when the input ends.
 */
export async function askPasted(
  question: string,
  isWhole: (text: string) => boolean,
  terminal: Terminal,
): Promise<string> {
  const { createInterface } = await import("node:readline");
  const { signal, stdin } = terminal.io;
  return await terminal.withoutProgress(async () => {
    terminal.note([line(0, question)]);
    const prompt = createInterface({ input: stdin });
    const stop = (): void => prompt.close();
    signal.addEventListener("abort", stop, { once: true });
    let text = "";
    try {
      for await (const row of prompt) {
        if (row.trim() === "" && text.trim() !== "" && isWhole(text)) break;
        text += `${row}\n`;
      }
    } finally {
      signal.removeEventListener("abort", stop);
      prompt.close();
    }
    if (!signal.aborted) return text;
    terminal.note([BLANK]);
    throw interrupted();
  });
}
