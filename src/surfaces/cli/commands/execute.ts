import type { Stages } from "../../../compose.js";
import { ERRORS, toDiscoveryError } from "../../../errors.js";
import { localActor } from "../../../model/actor.js";
import type { AskPerson, Call, CallEvent } from "../../../model/call.js";
import { type GivenArguments, readArguments } from "../arguments.js";
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
  const file = input.text("argsFile");
  const given = await readArguments({ text: input.text("args"), file }, context.io);
  const target = { server: input.argument("server"), tool: input.argument("tool") };
  return await withEngine(context, async (engine) =>
    carryOut({ ...target, given, hasUsedInput: file === "-", stages: await openCatalog(engine) }, input, context),
  );
};

export interface Execution {
  readonly server: string;
  readonly tool: string;
  readonly given: GivenArguments;
  /** The arguments came over standard input: nobody can be asked there any more. */
  readonly hasUsedInput: boolean;
  readonly stages: Stages;
}

/** Runs the tool with the options that every way of running one has, and tells how it went. */
export async function carryOut(execution: Execution, input: Input, context: Context): Promise<number> {
  const { server, tool, given, stages } = execution;
  const isDryRun = input.flag("dryRun");
  const output = createExecutionOutput({ server, tool, context, isStream: input.flag("stream"), isDryRun });
  output.begin();
  let latest = "";
  const call: Call = {
    server,
    tool,
    ...given,
    ...chosen(execution, input, context),
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
      stages.execute(call, context.io.signal),
      () => `Waiting for ${server}:${tool}… ${latest}`,
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
}

function chosen({ hasUsedInput }: Execution, input: Input, context: Context): Partial<Call> {
  const timeout = input.number("timeout");
  const idempotencyKey = input.text("idempotencyKey");
  const canAsk = !context.isJson && isAttended(context) && !hasUsedInput;
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
