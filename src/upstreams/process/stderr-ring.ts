import { stripVTControlCharacters } from "node:util";
import { toOneLine } from "../../util/text.js";
import type { Redact } from "../redact.js";

const MOST_BYTES = 64 * 1024;
const LONGEST_LINE = 500;

export interface StderrRing {
  push(chunk: Buffer): void;
  /** The last lines, oldest first, without control characters and without the server's secrets. */
  lines(): readonly string[];
}

/** Keeps the last 64 KiB of what a server wrote. Text is made only on demand: a flood must cost next to nothing. */
export function createStderrRing(redact: Redact): StderrRing {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return {
    push(chunk) {
      // A copy: the stream's own buffer is larger than the chunk, and the ring would keep all of it alive.
      const kept = Buffer.from(chunk.subarray(-MOST_BYTES));
      chunks.push(kept);
      bytes += kept.length;
      while (bytes > MOST_BYTES && chunks.length > 1) bytes -= chunks.shift()?.length ?? 0;
    },
    lines() {
      return Buffer.concat(chunks)
        .toString("utf8")
        .split(/\r?\n/)
        .map((line) => redact(withoutControls(line)).slice(0, LONGEST_LINE))
        .filter((line) => line !== "");
    },
  };
}

// Terminal sequences first, so that no half of one stays behind as text.
function withoutControls(line: string): string {
  return toOneLine(stripVTControlCharacters(line));
}
