import { createInterface } from "node:readline";
import type { Context } from "../context.js";
import { line, WARNING } from "../lines.js";

/** The answer in an address that the person copied from the browser. Never ends when the input does. */
export function readPasted(
  context: Context,
  isMine: (answer: URLSearchParams) => boolean,
  signal: AbortSignal,
): Promise<URLSearchParams> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: context.io.stdin });
    signal.addEventListener("abort", () => lines.close(), { once: true });
    lines.on("line", (text) => {
      const answer = answerIn(text);
      if (answer !== undefined && isMine(answer)) return resolve(answer);
      if (text.trim() !== "") context.note([line(0, WARNING, " That is not the address that this sign-in ends at.")]);
    });
  });
}

function answerIn(text: string): URLSearchParams | undefined {
  const trimmed = text.trim();
  return URL.canParse(trimmed) ? new URL(trimmed).searchParams : undefined;
}
