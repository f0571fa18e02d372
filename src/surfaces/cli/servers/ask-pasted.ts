import { interrupted } from "../../../operations/reason.js";
import type { Context } from "../context.js";
import { BLANK, line } from "../lines.js";

/** Reads JSON that the user pastes into the terminal, until an empty line after the last closing brace or the end of input. */
export async function askPasted(context: Context): Promise<string> {
  const { createInterface } = await import("node:readline");
  const { signal, stdin } = context.io;
  return await context.withoutProgress(async () => {
    context.note([line(0, "Paste the JSON of one or more servers, then press Enter on an empty line:")]);
    const prompt = createInterface({ input: stdin });
    const stop = (): void => prompt.close();
    signal.addEventListener("abort", stop, { once: true });
    let text = "";
    try {
      for await (const row of prompt) {
        if (row.trim() === "" && text.trim() !== "" && isBalanced(text)) break;
        text += `${row}\n`;
      }
    } finally {
      signal.removeEventListener("abort", stop);
      prompt.close();
    }
    if (!signal.aborted) return text;
    context.note([BLANK]);
    throw interrupted();
  });
}

/** Whether all braces outside of strings are closed. */
function isBalanced(text: string): boolean {
  const marks = text.replace(/"(?:[^"\\]|\\.)*"/g, "").match(/[{}]/g) ?? [];
  return marks.reduce((depth, mark) => depth + (mark === "{" ? 1 : -1), 0) <= 0;
}
