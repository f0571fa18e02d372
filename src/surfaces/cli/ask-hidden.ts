import { interrupted } from "../../operations/reason.js";
import { Writable } from "node:stream";
import type { Context } from "./context.js";
import { BLANK, line } from "./lines.js";

/** Asks for a line without echoing it on the terminal. */
export async function askHidden(question: string, context: Context): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const { signal, stdin } = context.io;
  return await context.withoutProgress(async () => {
    // In terminal mode readline itself echoes the typed characters, to its `output`: this one discards them.
    const discarded = new Writable({ write: (_chunk, _encoding, done) => done() });
    const prompt = createInterface({ input: stdin, output: discarded, terminal: true });
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
