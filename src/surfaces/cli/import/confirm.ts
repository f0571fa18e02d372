import { createInterface } from "node:readline/promises";
import type { Context } from "../context.js";
import { line } from "../lines.js";

/** Whether somebody sits there who can be asked, and the answer does not end up in a file. */
export function canAsk({ io, isJson }: Context): boolean {
  return !isJson && io.isTerminal.stdin === true && io.isTerminal.stdout && io.isTerminal.stderr;
}

/** No answer is a no. */
export async function confirm(question: string, context: Context): Promise<boolean> {
  const { stdin, signal } = context.io;
  const prompt = createInterface({ input: stdin });
  const ended = new Promise<string>((resolve) => prompt.once("close", () => resolve("")));
  try {
    context.note([line(0, `${question} [y/N]`)]);
    const answer = await Promise.race([prompt.question("", { signal }), ended]);
    return /^\s*y(?:es)?\s*$/i.test(answer);
  } finally {
    prompt.close();
  }
}
