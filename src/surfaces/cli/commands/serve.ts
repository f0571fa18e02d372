import type { DiscoveryEngine } from "../../../engine.js";
import { toDiscoveryError } from "../../../errors.js";
import { sanitize } from "../../../util/terminal.js";
import type { Handler } from "../command.js";
import { withEngine } from "../session.js";

/** Standard output is the protocol's: everything we have to say goes to standard error. */
export const serve: Handler = async (_input, context) => {
  const { serveMcp } = await import("../../mcp/serve.js");
  const { stdin, stdout, stderr, signal, onReload } = context.io;
  const log = (message: string): void => void stderr.write(`${sanitize(message)}\n`);
  await withEngine({ ...context, log }, async (engine) => {
    onReload?.(() => void reload(engine, log));
    await serveMcp({ engine, input: stdin, output: stdout, log }, signal);
  });
  return 0;
};

/** A configuration that is wrong changes nothing: the last good one stays, and the reason is told. */
async function reload(engine: DiscoveryEngine, log: (message: string) => void): Promise<void> {
  try {
    await engine.reload();
    log("The configuration was read again.");
  } catch (error) {
    log(`The configuration stays as it was: ${toDiscoveryError(error).message}`);
  }
}
