import type { Stages } from "../../../compose.js";
import { DiscoveryError } from "../../../errors.js";
import type { Tool } from "../../../model/tool.js";
import { splitId } from "../../../metatools/gateway/contract.js";
import { type GivenArguments, parseArguments, readArguments } from "../arguments.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { openCatalog, withEngine } from "../session.js";
import { openFileDesk, unknownFile } from "../toolfiles/file-desk.js";
import { toParameterText } from "../toolfiles/parameters.js";
import { carryOut } from "./execute.js";

export const runTool: Handler = async (input, context) => {
  const given = await readGiven(input, context);
  return await withEngine(context, async (engine) => {
    const stages = await openCatalog(engine);
    const { server, name: tool, definition } = find(input.argument("tool_id"), stages);
    const pairs = input.list("parameters");
    const parsed =
      given ?? parseArguments(toParameterText(pairs, definition.inputSchema), "The parameters", "--params");
    const hasUsedInput = input.text("paramsFile") === "-";
    return await carryOut({ server, tool, given: parsed, hasUsedInput, stages }, input, context);
  });
};

/** Undefined where the parameters stand one by one on the line: they need the tool's schema. */
async function readGiven(input: Input, { io }: Context): Promise<GivenArguments | undefined> {
  const [text, file] = [input.text("params"), input.text("paramsFile")];
  if (input.list("parameters").length === 0) return await readArguments({ text, file, option: "--params" }, io);
  if (text === undefined && file === undefined) return undefined;
  throw new DiscoveryError("INVALID_REQUEST", "Parameters were given one by one and as a whole.", {
    hint: "Give NAME=VALUE pairs, or --params, or --params-file.",
  });
}

/** The tool of the file, or why the file is not used, or the nearest names. */
function find(id: string, stages: Stages): Tool {
  const { servers, tools } = stages.snapshot();
  const { server, name } = splitId(id, servers);
  const tool = servers.get(server)?.tools.find((one) => one.name === name);
  if (tool !== undefined) return tool;
  const { files, refused } = stages.collected.toolFiles;
  const bad = refused.find(({ path }) => path.endsWith(`/${id}.yaml`) || path.endsWith(`\\${id}.yaml`));
  if (bad !== undefined) throw bad.error;
  const known = [...tools.values()].flatMap(({ file }) => (file === undefined ? [] : [file.id]));
  throw unknownFile(id, [...known, ...files.map(({ file }) => file.toolId)], openFileDesk(stages).folders);
}
