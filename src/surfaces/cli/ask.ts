import { interrupted } from "../../operations/reason.js";
import type { Context } from "./context.js";
import { BLANK, line } from "./lines.js";

/** Whether a user can answer questions: they are written to standard error and answered on standard input. */
export function isAttended({ io }: Context): boolean {
  return io.isTerminal.stdin === true && io.isTerminal.stderr;
}

/** Whether the command may ask a question that the user did not expect: only if input and both outputs are terminals, and without `--json`. */
export function canInterrupt(context: Context): boolean {
  return !context.isJson && isAttended(context) && context.io.isTerminal.stdout;
}

/** `unanswered`: the input ended without an answer. Every answer other than `y` or `yes` counts as no. */
export type UserAnswer = "yes" | "no" | "unanswered";

export async function ask(question: string, context: Context, signal = context.io.signal): Promise<UserAnswer> {
  const answer = await askLine(`${question} [y/N]`, context, signal);
  if (answer === undefined) return "unanswered";
  return /^\s*y(?:es)?\s*$/i.test(answer) ? "yes" : "no";
}

/** The line that the user types; undefined when the input ended without one. */
export async function askLine(
  question: string,
  context: Context,
  signal = context.io.signal,
): Promise<string | undefined> {
  const { createInterface } = await import("node:readline/promises");
  // readline emits no second `close` for an input that has ended.
  if (context.io.stdin.readableEnded) return "unanswered";
  return await context.withoutProgress(async () => {
    const prompt = createInterface({ input: context.io.stdin });
    const ended = new Promise<undefined>((resolve) => prompt.once("close", () => resolve(undefined)));
    try {
      context.prompt(line(0, question));
      // The input may have ended since the check above.
      const answer = context.io.stdin.readableEnded
        ? undefined
        : await Promise.race([prompt.question("", { signal }), ended]);
      // The cursor is still behind the question.
      if (answer === undefined) context.note([BLANK]);
      return answer;
    } catch (error) {
      if (!signal.aborted) throw error;
      // The terminal has printed ^C behind the question.
      context.note([BLANK]);
      throw interrupted();
    } finally {
      prompt.close();
    }
  });
}
