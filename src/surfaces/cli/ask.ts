import { type Context, interrupted } from "./context.js";
import { BLANK, line } from "./lines.js";

/** Whether somebody sits there: questions are put on standard error and answered on standard input. */
export function isAttended({ io }: Context): boolean {
  return io.isTerminal.stdin === true && io.isTerminal.stderr;
}

/** With everything a terminal, nobody is surprised by a question that the command is not about. */
export function canInterrupt(context: Context): boolean {
  return !context.isJson && isAttended(context) && context.io.isTerminal.stdout;
}

/** `unanswered`: the input ended without a word. Everything else that is no yes is a no. */
export type Answer = "yes" | "no" | "unanswered";

export async function ask(question: string, context: Context, signal = context.io.signal): Promise<Answer> {
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
  // An input that has ended tells nobody so a second time.
  if (context.io.stdin.readableEnded) return "unanswered";
  return await context.undisturbed(async () => {
    const prompt = createInterface({ input: context.io.stdin });
    const ended = new Promise<undefined>((resolve) => prompt.once("close", () => resolve(undefined)));
    try {
      context.note([line(0, question)]);
      // A stream that has ended does not end again.
      if (context.io.stdin.readableEnded) return undefined;
      return await Promise.race([prompt.question("", { signal }), ended]);
    } catch (error) {
      if (!signal.aborted) throw error;
      // The terminal shows ^C and stays on its line.
      context.note([BLANK]);
      throw interrupted();
    } finally {
      prompt.close();
    }
  });
}
