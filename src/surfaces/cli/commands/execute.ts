import { ERRORS, toDiscoveryError } from "../../../errors.js";
import { localActor } from "../../../model/actor.js";
import type { CallEvent } from "../../../model/call.js";
import { readArguments } from "../arguments.js";
import type { Handler } from "../command.js";
import { createExecutionOutput, describeEvent } from "../execution-output.js";
import { reportDefect } from "../failure.js";
import { LONGEST_START_MS, openCatalog, withEngine } from "../session.js";

/** So long the executor may take to tell what became of a cancelled call. */
const CANCEL_GRACE_MS = 2000;

export const execute: Handler = async (input, context) => {
  const { io } = context;
  const args = await readArguments({ text: input.text("args"), file: input.text("argsFile") }, io);
  const target = { server: input.argument("server"), tool: input.argument("tool") };
  const timeout = input.number("timeout");

  return await withEngine(context, async (engine) => {
    const stages = await openCatalog(engine);
    const output = createExecutionOutput({ ...target, context, isStream: input.flag("stream") });
    output.begin();
    let latest = "";
    const call = {
      ...target,
      actor: localActor("cli"),
      arguments: args,
      whole: true,
      startWaitMs: LONGEST_START_MS,
      ...(timeout === undefined ? {} : { timeoutMs: Math.round(timeout * 1000) }),
      onEvent(event: CallEvent) {
        latest = describeEvent(event);
        output.event(event);
      },
    };
    try {
      const answer = await context.wait(
        stages.execute(call, io.signal),
        () => `Waiting for ${target.server}:${target.tool}… ${latest}`,
        CANCEL_GRACE_MS,
      );
      output.answered(answer);
      return answer.isError === true ? ERRORS.TOOL_EXECUTION_ERROR.exit : 0;
    } catch (thrown) {
      const error = toDiscoveryError(thrown);
      output.failed(error);
      reportDefect(error, context);
      return error.entry.exit;
    }
  });
};
