import { type Context, interrupted } from "../context.js";
import { BLANK, line } from "../lines.js";

/** What the person types; undefined when the input ends without a word. */
export async function askText(question: string, context: Context): Promise<string | undefined> {
  const { createInterface } = await import("node:readline/promises");
  const { signal, stdin } = context.io;
  return await context.undisturbed(async () => {
    const prompt = createInterface({ input: stdin });
    const ended = new Promise<undefined>((resolve) => prompt.once("close", () => resolve(undefined)));
    try {
      context.note([line(0, question)]);
      const answer = await Promise.race([prompt.question("", { signal }), ended]);
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
