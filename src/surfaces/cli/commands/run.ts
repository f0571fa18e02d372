import { toSignature } from "../../../catalog/signature.js";
import { invalidRequest } from "../../../util/invalid-request.js";
import { findToolOfFile } from "../../../operations/toolfiles/find-tool.js";
import { type GivenArguments, readArguments } from "../../../operations/arguments/read-arguments.js";
import { readArgumentWords, toGivenArguments } from "../../../operations/arguments/argument-words.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { openCatalog } from "../../../operations/open-catalog.js";
import { withEngine } from "../session.js";
import { runExecution } from "./execute.js";

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

/** Undefined for NAME=VALUE parameters, because parsing them needs the tool's schema. */
async function readGiven(input: Input, { io }: Context): Promise<GivenArguments | undefined> {
  const [text, file] = [input.text("params"), input.text("paramsFile")];
  if (input.list("parameters").length === 0) return await readArguments({ text, file, option: "--params" }, io);
  if (text === undefined && file === undefined) return undefined;
  throw invalidRequest(
    "NAME=VALUE parameters cannot be combined with --params or --params-file.",
    "Pass NAME=VALUE parameters, or --params, or --params-file.",
  );
}
