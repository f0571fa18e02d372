import type { Writable } from "node:stream";

const OUTPUT_LOST = 3;

/** Listens for failures of standard output from now on. Gives what turns a command's exit code into the process's. */
export function watchOutput(
  stdout: Writable,
  stderr: { write(text: string): unknown },
): (exitCode: number) => Promise<number> {
  let unwritten: NodeJS.ErrnoException | undefined;
  stdout.on("error", (error) => (unwritten = error));
  return async (exitCode) => {
    await new Promise((resolve) => setImmediate(resolve));
    // `anygpt … | head` has read enough; that is no failure of ours.
    if (unwritten === undefined || unwritten.code === "EPIPE") return exitCode;
    stderr.write(`The output could not be written (${unwritten.code ?? unwritten.message}).\n`);
    return OUTPUT_LOST;
  };
}
