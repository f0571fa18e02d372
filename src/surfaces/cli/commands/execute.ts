import { resolve } from "node:path";
import { toSignature } from "../../../catalog/signature.js";
import type { Stages } from "../../../compose.js";
import { DiscoveryError, ERRORS, toDiscoveryError } from "../../../errors.js";
import { localActor } from "../../../model/actor.js";
import type { AskPerson, Call, CallEvent } from "../../../model/call.js";
import { toResultParts } from "../../../operations/results/result-parts.js";
import { assertSavable, type SaveTarget, saveResult } from "../../../operations/results/save-result.js";
import { type GivenArguments, readArguments } from "../arguments.js";
import { ask, isAttended } from "../ask.js";
import { readArgumentWords, toGivenArguments, type WordTarget } from "../call/argument-words.js";
import { openTarget } from "../call/tool-target.js";
import { callLines } from "../call-lines.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { createExecutionOutput, describeEvent } from "../execution-output.js";
import { reportDefect } from "../failure.js";
import { BLANK, line, WARNING } from "../lines.js";
import { LONGEST_START_MS, withEngine } from "../session.js";

/** So long the executor may take to tell what became of a cancelled call. */
const CANCEL_GRACE_MS = 2000;

export const execute: Handler = async (input, context) => {
  const file = input.text("argsFile");
  const whole = await readArguments({ text: input.text("args"), file }, context.io);
  return await withEngine(context, async (engine) => {
    const words = [input.argument("tool"), ...input.list("arguments")];
    const { server, tool, rest, stages } = await openTarget(words, engine, context);
    if (rest.length === 0) {
      return await carryOut({ server, tool, given: whole, hasUsedInput: file === "-", stages }, input, context);
    }
    if ((file ?? input.text("args")) !== undefined) throw givenTwice();
    const read = await readArgumentWords(rest, context.io);
    const given = toGivenArguments(read, await describeTarget({ server, tool, stages }, context));
    return await carryOut({ server, tool, given, hasUsedInput: read.hasUsedInput, stages }, input, context);
  });
};

function givenTwice(): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", "Arguments were given one by one and as a whole.", {
    hint: "Give NAME=VALUE words, or --args, or --args-file.",
  });
}

/** A tool that cannot be found has no schema: its arguments stay text, and the call reports and records the failure. */
async function describeTarget(
  { server, tool, stages }: Pick<Execution, "server" | "tool" | "stages">,
  context: Context,
): Promise<WordTarget> {
  const asking = stages.discovery.tool(server, tool, { waitMs: LONGEST_START_MS });
  try {
    const { definition } = await context.wait(asking, () => `Asking ${server}…`);
    return { inputSchema: definition.inputSchema, signature: toSignature(definition) };
  } catch (error) {
    if (context.io.signal.aborted) throw error;
    return { inputSchema: {} };
  }
}

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
  const isRaw = input.flag("raw");
  const isStream = input.flag("stream");
  const target = await savingTo(input, context);
  const output = createExecutionOutput({ server, tool, context, isStream, isDryRun, isRaw });
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
    const isSaved = target !== undefined && answer.isError !== true;
    output.answered(answer, isSaved ? await saveResult(toResultParts(answer), target) : undefined);
    return answer.isError === true ? ERRORS.TOOL_EXECUTION_ERROR.exit : 0;
  } catch (thrown) {
    const error = toDiscoveryError(thrown);
    output.failed(error);
    reportDefect(error, context);
    return error.entry.exit;
  }
}

/** Where `--output` saves the result. What does not go together is refused before anything is called. */
async function savingTo(input: Input, { io, isJson }: Context): Promise<SaveTarget | undefined> {
  const file = input.text("output");
  const isRaw = input.flag("raw");
  const others = [isJson && "--json", input.flag("stream") && "--stream", input.flag("dryRun") && "--dry-run"];
  const clash = isRaw ? others.find(Boolean) : file !== undefined && input.flag("dryRun") ? "--dry-run" : undefined;
  if (clash) {
    throw new DiscoveryError("INVALID_REQUEST", `${isRaw ? "--raw" : "--output"} and ${clash} exclude each other.`, {
      hint: "Leave one of them out.",
    });
  }
  if (file === undefined) return undefined;
  const target = { path: resolve(io.cwd, file), force: input.flag("force") };
  await assertSavable(target);
  return target;
}

function chosen({ hasUsedInput }: Execution, input: Input, context: Context): Partial<Call> {
  const timeout = input.number("timeout");
  const idempotencyKey = input.text("idempotencyKey");
  const canAsk = !context.isJson && isAttended(context) && !hasUsedInput;
  return {
    ...(timeout === undefined ? {} : { timeoutMs: Math.round(timeout * 1000) }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(input.flag("confirmed") ? { confirmed: true } : {}),
    ...(input.flag("yes") ? { consent: { by: "--yes", isAttended: isAttended(context) } } : {}),
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
