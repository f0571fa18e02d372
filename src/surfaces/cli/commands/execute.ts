import { ERRORS, toDiscoveryError } from "../../../errors.js";
import { localActor } from "../../../model/actor.js";
import type { AskPerson, Call, CallEvent } from "../../../model/call.js";
import { readArguments } from "../arguments.js";
import { ask, isAttended } from "../ask.js";
import { callLines } from "../call-lines.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { createExecutionOutput, describeEvent } from "../execution-output.js";
import { reportDefect } from "../failure.js";
import { BLANK, line, WARNING } from "../lines.js";
import { LONGEST_START_MS, openCatalog, withEngine } from "../session.js";

/** So long the executor may take to tell what became of a cancelled call. */
const CANCEL_GRACE_MS = 2000;

export const execute: Handler = async (input, context) => {
  const { io } = context;
  const given = await readArguments({ text: input.text("args"), file: input.text("argsFile") }, io);
  const target = { server: input.argument("server"), tool: input.argument("tool") };

  return await withEngine(context, async (engine) => {
    const stages = await openCatalog(engine);
    const isDryRun = input.flag("dryRun");
    const output = createExecutionOutput({ ...target, context, isStream: input.flag("stream"), isDryRun });
    output.begin();
    let latest = "";
    const call: Call = {
      ...target,
      ...given,
      ...chosen(input, context),
      actor: localActor("cli"),
      whole: true,
      startWaitMs: LONGEST_START_MS,
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

function chosen(input: Input, context: Context): Partial<Call> {
  const timeout = input.number("timeout");
  const idempotencyKey = input.text("idempotencyKey");
  // Arguments that came over standard input have used it up.
  const canAsk = !context.isJson && isAttended(context) && input.text("argsFile") !== "-";
  return {
    ...(timeout === undefined ? {} : { timeoutMs: Math.round(timeout * 1000) }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(input.flag("confirmed") ? { confirmed: true } : {}),
    ...(input.flag("dryRun") ? { dryRun: true } : {}),
    ...(canAsk ? { ask: askAtTerminal(context) } : {}),
  };
}

const MEANING = { yes: "accepted", no: "declined", unanswered: "unanswered" } as const;

function askAtTerminal(context: Context): AskPerson {
  return async (question, signal) => {
    context.note([line(0, WARNING, " This call has to be confirmed before it runs:"), ...callLines(question), BLANK]);
    return MEANING[await ask("Run it?", context, signal)];
  };
}
