import type { Writable } from "node:stream";

const OUTPUT_LOST = 3;

/**
 * Listens for errors on standard output from now on. Returns a function that converts a command's exit code to the exit
 * code of the process.
 */
export function watchOutput(
  stdout: Writable,
  stderr: { write(text: string): unknown },
): (exitCode: number) => Promise<number> {
  let unwritten: NodeJS.ErrnoException | undefined;
  stdout.on("error", (error) => (unwritten = error));
  return async (exitCode) => {
    await new Promise((resolve) => setImmediate(resolve));
    // `anygpt … | head` closes the pipe as soon as `head` has read enough; this is not a failure.
    if (unwritten === undefined || unwritten.code === "EPIPE") return exitCode;
    stderr.write(`The output could not be written (${unwritten.code ?? unwritten.message}).\n`);
    return OUTPUT_LOST;
  };
}
