// Reads the log file of a background gateway.
import { setTimeout as sleep } from "node:timers/promises";
import { DiscoveryError } from "../../errors.js";
import { openRegularFile, readRegularFile } from "../../util/regular-file.js";

const POLL_MS = 300;

export interface DaemonLog {
  /** The last lines of the file. */
  readonly lines: readonly string[];
  /** The size of the file in bytes, from which `followDaemonLog` continues. */
  readonly end: number;
}

export async function readDaemonLog(file: string, maxLines: number): Promise<DaemonLog> {
  const content = await readRegularFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    throw new DiscoveryError("INVALID_REQUEST", "No background gateway has run for this folder and configuration.", {
      hint: [
        {
          action: "run-command",
          command: "anygpt mcp daemon status",
          purpose: "see the background gateways of other folders",
        },
        "Run this command in the folder of a background gateway, or pass the configuration file with --config.",
      ],
    });
  });
  return { lines: content.toString("utf8").split("\n").filter(Boolean).slice(-maxLines), end: content.length };
}

/**
 * Yields text that is added to the file after `from`, until the signal aborts. Starts again at the beginning if the
 * file gets shorter, because a full log file is truncated in place.
 */
export async function* followDaemonLog(file: string, from: number, signal: AbortSignal): AsyncGenerator<string> {
  let position = from;
  while (!signal.aborted) {
    const added = await readFrom(file, position);
    position = added.end;
    yield added.text;
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function readFrom(file: string, position: number): Promise<{ text: string; end: number }> {
  const handle = await openRegularFile(file).catch(() => undefined);
  if (handle === undefined) return { text: "", end: 0 };
  try {
    const { size } = await handle.stat();
    const start = size < position ? 0 : position;
    const { buffer } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
    return { text: buffer.toString("utf8"), end: size };
  } finally {
    await handle.close();
  }
}
