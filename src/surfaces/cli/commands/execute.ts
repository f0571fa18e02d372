import { resolve } from "node:path";
import { toSignature } from "../../../catalog/signature.js";
import type { Execution } from "../../../gateway/execution.js";
import type { CatalogAccess } from "../../../gateway/stages.js";
import { ERRORS, toDiscoveryError } from "../../../errors.js";
import { invalidRequest } from "../../../util/invalid-request.js";
import { READ_RESULT } from "../../../model/built-in.js";
import type { JsonObject } from "../../../model/json.js";
import { commandLine } from "../../../util/command-line.js";
import { localActor } from "../../../model/actor.js";
import type { AskPerson, Call, CallContext } from "../../../model/call.js";
import { toResultParts } from "../../../operations/results/result-parts.js";
import { assertSavable, saveResult, type SaveTarget } from "../../../operations/results/save-result.js";
import { type GivenArguments, readArguments } from "../../../operations/arguments/read-arguments.js";
import { ask, isAttended } from "../../../terminal/questions.js";
import { readArgumentWords, toGivenArguments, type WordTarget } from "../../../operations/arguments/argument-words.js";
import { openTarget } from "../../../operations/calls/tool-target.js";
import { callLines } from "../call-lines.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { createExecutionOutput, describeEvent } from "../execution-output.js";
import { reportDefect } from "../failure.js";
import { BLANK, line, WARNING } from "../../../terminal/lines.js";
import { LONGEST_START_MS, openWholeCatalog, withEngine } from "../session.js";
import { findToolOfFile } from "../../../operations/toolfiles/find-tool.js";
import { openCatalog } from "../../../operations/open-catalog.js";

/** How long the executor may take to report the outcome of a cancelled call. */
const CANCEL_GRACE_MS = 2000;

const BOTH = "NAME=VALUE arguments cannot be combined with --args or --args-file.";

export const execute: Handler = async (input, context) => {
  const file = input.text("argsFile");
  const whole = await readArguments({ text: input.text("args"), file }, context.io);
  return await withEngine(context, async (engine) => {
    const words = [input.argument("tool"), ...input.list("arguments")];
    const { server, tool, rest, stages } = await openTarget(words, engine, () => openWholeCatalog(engine, context));
    if (rest.length === 0) {
      return await runExecution({ server, tool, given: whole, hasUsedInput: file === "-", stages }, input, context);
    }
    if ((file ?? input.text("args")) !== undefined)
      throw invalidRequest(BOTH, "Pass NAME=VALUE arguments, or --args, or --args-file.");
    const read = await readArgumentWords(rest, context.io);
    const given = toGivenArguments(read, await describeTarget({ server, tool, stages }, context));
    return await runExecution({ server, tool, given, hasUsedInput: read.hasUsedInput, stages }, input, context);
  });
};

/**
 * The schema that converts NAME=VALUE arguments. If the tool is not found, the schema is empty and all values stay
 * strings; the call itself then reports and audits the failure.
 */
async function describeTarget(
  { server, tool, stages }: Pick<CliExecution, "server" | "tool" | "stages">,
  context: Context,
): Promise<WordTarget> {
  const asking = stages.discovery.tool(server, tool, { waitMs: LONGEST_START_MS });
  try {
    const { definition } = await context.wait(asking, () => `Reading the tools of ${server}…`);
    return { inputSchema: definition.inputSchema, signature: toSignature(definition) };
  } catch (error) {
    if (context.io.signal.aborted) throw error;
    return { inputSchema: {} };
  }
}

function toReadingCommand(args: JsonObject): string {
  const words = Object.entries(args).map(([name, value]) => `${name}=${String(value)}`);
  return commandLine(["anygpt", "mcp", "execute", READ_RESULT.id, ...words]);
}

interface CliExecution {
  readonly server: string;
  readonly tool: string;
  readonly given: GivenArguments;
  /** The arguments were read from standard input, so no question can be answered there. */
  readonly hasUsedInput: boolean;
  readonly stages: Execution & CatalogAccess;
}

/** Runs the tool with the options that `execute` and `run` share, and reports the outcome. */
async function runExecution(execution: CliExecution, input: Input, context: Context): Promise<number> {
  const { server, tool, given, stages } = execution;
  const isDryRun = input.flag("dryRun");
  const isRaw = input.flag("raw");
  const isStream = input.flag("stream");
  const target = await savingTo(input, context);
  const output = createExecutionOutput({ server, tool, context, isStream, isDryRun, isRaw });
  output.begin();
  let latest = "";
  const canAsk = !context.isJson && isAttended(context) && !execution.hasUsedInput;
  const caller: CallContext = {
    actor: localActor("cli"),
    signal: context.io.signal,
    flaws: given.flaws,
    whole: true,
    consent: input.flag("yes") ? { by: "--yes", isAttended: isAttended(context) } : undefined,
    ask: canAsk ? askAtTerminal(context) : undefined,
    onEvent(event) {
      latest = describeEvent(event);
      output.event(event);
    },
  };
  const timeout = input.number("timeout");
  const call: Call = {
    context: caller,
    server,
    tool,
    arguments: given.arguments,
    timeoutMs: timeout === undefined ? undefined : Math.round(timeout * 1000),
    startWaitMs: LONGEST_START_MS,
    idempotencyKey: input.text("idempotencyKey"),
    confirmed: input.flag("confirmed"),
    dryRun: isDryRun,
    select: input.text("select"),
    maxTokens: input.number("maxTokens"),
    describeReading: toReadingCommand,
  };
  try {
    const answer = await context.wait(
      stages.execute(call),
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

/** The target of `--output`. Conflicting options are rejected before the tool is called. */
async function savingTo(input: Input, { io, isJson }: Context): Promise<SaveTarget | undefined> {
  const file = input.text("output");
  const isRaw = input.flag("raw");
  const others = [isJson && "--json", input.flag("stream") && "--stream", input.flag("dryRun") && "--dry-run"];
  const clash = isRaw ? others.find(Boolean) : file !== undefined && input.flag("dryRun") ? "--dry-run" : undefined;
  if (clash) {
    throw invalidRequest(
      `${isRaw ? "--raw" : "--output"} and ${clash} cannot be used together.`,
      "Omit one of these options.",
    );
  }
  if (file === undefined) return undefined;
  const target = { path: resolve(io.cwd, file), force: input.flag("force") };
  await assertSavable(target);
  return target;
}

const MEANING = { yes: "accepted", no: "declined", unanswered: "unanswered" } as const;

function askAtTerminal(context: Context): AskPerson {
  return async (question, signal) => {
    context.note([line(0, WARNING, " This call needs a confirmation before it runs:"), ...callLines(question), BLANK]);
    return MEANING[await ask("Run this call?", context, signal)];
  };
}

export const runTool: Handler = async (input, context) => {
  const given = await readGiven(input, context);
  return await withEngine(context, async (engine) => {
    const stages = await openCatalog(engine);
    const { server, name: tool, definition } = await findToolOfFile(input.argument("tool_id"), stages);
    const read = await readArgumentWords(input.list("parameters"), context.io);
    const target = { inputSchema: definition.inputSchema, signature: toSignature(definition) };
    const parsed = given ?? toGivenArguments(read, target);
    const hasUsedInput = input.text("paramsFile") === "-" || read.hasUsedInput;
    return await runExecution({ server, tool, given: parsed, hasUsedInput, stages }, input, context);
  });
};

/**
 * The parameters from the options; undefined for NAME=VALUE parameters, because parsing them needs the tool's schema.
 */
async function readGiven(input: Input, { io }: Context): Promise<GivenArguments | undefined> {
  const [text, file] = [input.text("params"), input.text("paramsFile")];
  if (input.list("parameters").length === 0) return await readArguments({ text, file, option: "--params" }, io);
  if (text === undefined && file === undefined) return undefined;
  throw invalidRequest(
    "NAME=VALUE parameters cannot be combined with --params or --params-file.",
    "Pass NAME=VALUE parameters, or --params, or --params-file.",
  );
}
