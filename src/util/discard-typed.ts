import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";

interface TypedInput extends Readable {
  readonly isTTY?: boolean;
  setRawMode?(mode: boolean): unknown;
}

/** The event loop has polled the terminal twice and found nothing. */
const QUIET_TURNS = 3;
/** Bounds the wait for a terminal that never stops to send. */
const MAX_TURNS = 10_000;

/**
 * Discards what the user has typed and the program has not read yet, so that it does not answer a question that the
 * user has not seen. Returns false if the input does not end. Does nothing if the input is no terminal: a script has
 * written its answers in advance.
 */
export async function discardTyped(input: TypedInput): Promise<boolean> {
  if (input.isTTY !== true || input.setRawMode === undefined || input.readableEnded) return true;
  let isQuiet = 0;
  const drop = (): void => void (isQuiet = 0);
  // Without line editing, the terminal also delivers an unfinished line.
  input.setRawMode(true);
  input.on("data", drop).resume();
  try {
    for (let turn = 0; turn < MAX_TURNS && isQuiet < QUIET_TURNS; turn += 1) {
      isQuiet += 1;
      await setImmediate();
    }
    return isQuiet >= QUIET_TURNS;
  } finally {
    input.off("data", drop).pause();
    input.setRawMode(false);
  }
}
