import { stripVTControlCharacters } from "node:util";
import type { Redact } from "../../util/secrets.js";
import { toOneLine } from "../../util/text.js";

const MOST_BYTES = 64 * 1024;
const LONGEST_LINE = 500;
const FAR = 4096;
const NEWLINE = 10;

export interface StderrRing {
  push(chunk: Buffer): void;
  /** The last lines, oldest first, without control characters and without the server's secrets. */
  lines(): readonly string[];
}

/** Keeps the last 64 KiB of what a server wrote. Text is made only on demand: a flood must cost next to nothing. */
export function createStderrRing(redact: Redact): StderrRing {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isFirstWhole = true;

  /** Takes so many bytes, or fewer, from the begin. */
  function drop(excess: number): void {
    const first = chunks.shift();
    if (first === undefined) return;
    const dropped = Math.min(excess, first.length);
    isFirstWhole = first[dropped - 1] === NEWLINE;
    bytes -= dropped;
    if (dropped < first.length) chunks.unshift(first.subarray(dropped));
  }

  return {
    push(chunk) {
      // A copy: the stream's own buffer is larger than the chunk, and the ring would keep all of it alive.
      chunks.push(Buffer.from(chunk));
      bytes += chunk.length;
      while (bytes > MOST_BYTES) drop(bytes - MOST_BYTES);
    },
    lines() {
      return Buffer.concat(chunks)
        .toString("utf8")
        .split(/\r?\n/)
        .map((line, index) => {
          const shown = redact(withoutControls(line));
          return index > 0 || isFirstWhole ? shown.slice(0, LONGEST_LINE) : endOf(shown);
        })
        .filter((line) => line !== "");
    },
  };
}

/** A line whose begin is lost may begin with half a secret, which nothing would recognise: only what is far from there is shown. */
function endOf(half: string): string {
  return half.length > FAR + LONGEST_LINE ? half.slice(-LONGEST_LINE) : "";
}

// Terminal sequences first, so that no half of one stays behind as text.
function withoutControls(line: string): string {
  return toOneLine(stripVTControlCharacters(line));
}
