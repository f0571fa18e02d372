import { interrupted } from "../../../operations/reason.js";
import type { Context } from "../context.js";
import { BLANK, line } from "../lines.js";

/** The line that the user types, trimmed; undefined if it is empty or the input ends. */
export async function askText(question: string, context: Context): Promise<string | undefined> {
  const { createInterface } = await import("node:readline/promises");
  const { signal, stdin } = context.io;
  return await context.withoutProgress(async () => {
    const prompt = createInterface({ input: stdin });
    const ended = new Promise<undefined>((resolve) => prompt.once("close", () => resolve(undefined)));
    try {
      context.prompt(line(0, question));
      const answer = await Promise.race([prompt.question("", { signal }), ended]);
      if (answer === undefined) context.note([BLANK]);
      return answer?.trim() || undefined;
    } catch (error) {
      if (!signal.aborted) throw error;
      context.note([BLANK]);
      throw interrupted();
    } finally {
      prompt.close();
    }
  });
}
