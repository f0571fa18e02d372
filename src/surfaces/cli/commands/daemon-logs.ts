import { open, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { DiscoveryError } from "../../../errors.js";
import { sanitize } from "../../../util/terminal.js";
import type { Handler } from "../command.js";
import type { CliIo } from "../io.js";
import { placeOf } from "./daemon.js";

const USUAL_LINES = 50;
const LOOK_AGAIN_MS = 300;

export const daemonLogs: Handler = async (input, context) => {
  const { logFile } = placeOf(context);
  const content = await readLog(logFile);
  const lines = content.toString("utf8").split("\n").filter(Boolean);
  const last = lines.slice(-(input.number("lines") ?? USUAL_LINES)).map((text) => sanitize(text));
  if (context.isJson) for (const text of last) context.jsonLine({ line: text });
  else context.io.stdout.write(last.map((text) => `${text}\n`).join(""));
  if (input.flag("follow")) await follow(logFile, content.length, context.io);
  return 0;
};

async function readLog(file: string): Promise<Buffer> {
  return await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    throw new DiscoveryError("INVALID_REQUEST", "No background gateway has run for this folder and configuration.", {
      hint: [
        {
          action: "run-command",
          command: "anygpt mcp daemon status",
          purpose: "see the background gateways of other folders",
        },
        "Run this command in one of these folders, or pass its configuration file with --config.",
      ],
    });
  });
}

/** Runs until Ctrl-C or until the reader of standard output closes the pipe. A full log file is truncated in place. */
async function follow(file: string, from: number, { stdout, signal }: CliIo): Promise<void> {
  let position = from;
  while (!signal.aborted && !stdout.destroyed && stdout.errored === null) {
    const added = await readFrom(file, position);
    position = added.end;
    if (added.text !== "") stdout.write(sanitize(added.text));
    await sleep(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function readFrom(file: string, position: number): Promise<{ text: string; end: number }> {
  const handle = await open(file).catch(() => undefined);
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
