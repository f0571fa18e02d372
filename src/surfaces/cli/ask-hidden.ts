import { Writable } from "node:stream";
import { type Context, interrupted } from "./context.js";
import { BLANK, line } from "./lines.js";

/** What the person types, which the terminal does not show. */
export async function askHidden(question: string, context: Context): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const { signal, stdin } = context.io;
  return await context.undisturbed(async () => {
    // A terminal of readline's own writes what is typed to its output, which leads nowhere.
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    const prompt = createInterface({ input: stdin, output: nowhere, terminal: true });
    const ended = new Promise<string>((resolve) => prompt.once("close", () => resolve("")));
    const stopped = new Promise<never>((_, reject) => prompt.once("SIGINT", () => reject(interrupted())));
    try {
      context.note([line(0, question)]);
      return (await Promise.race([prompt.question("", { signal }), ended, stopped])).trim();
    } catch (error) {
      if (!signal.aborted) throw error;
      context.note([BLANK]);
      throw interrupted();
    } finally {
      prompt.close();
    }
  });
}
