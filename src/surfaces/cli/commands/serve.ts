import { describeDifference } from "../../../reload.js";
import type { Reload } from "../../../lifecycle.js";
import { sanitize } from "../../../util/terminal.js";
import type { Handler } from "../command.js";
import { useEngine } from "../session.js";

/** Standard output is the protocol's: everything we have to say goes to standard error. */
export const serve: Handler = async (_input, context) => {
  const { serveMcp } = await import("../../mcp/serve.js");
  const { stdin, stdout, stderr, signal, onReload } = context.io;
  const log = (message: string): void => void stderr.write(`${sanitize(message)}\n`);
  await useEngine(
    { ...context, log, warn: log },
    async (engine) => {
      const reload = engine.watch(createTeller(log));
      onReload?.(() => void reload());
      await serveMcp({ engine, input: stdin, output: stdout, log }, signal);
    },
    { isBrief: false },
  );
  return 0;
};

/** A configuration that is wrong changes nothing, and is told of once, however often it is looked at. */
function createTeller(log: (message: string) => void): (reload: Reload) => void {
  let told = "";
  return (reload) => {
    if (reload.kind === "done") {
      told = "";
      log(`The configuration was read again: ${describeDifference(reload.difference)}.`);
    } else if (reload.reason.message !== told) {
      told = reload.reason.message;
      log(`The configuration stays as it was: ${told}`);
    }
  };
}
