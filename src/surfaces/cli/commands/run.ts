import { basename, dirname } from "node:path";
import { toSignature } from "../../../catalog/signature.js";
import type { Stages } from "../../../compose.js";
import { DiscoveryError } from "../../../errors.js";
import type { Tool } from "../../../model/tool.js";
import { splitId } from "../../../metatools/gateway/contract.js";
import type { RefusedFile } from "../../../toolfiles/read-tool-files.js";
import { type GivenArguments, readArguments } from "../arguments.js";
import { readArgumentWords, toGivenArguments } from "../call/argument-words.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { openCatalog, withEngine } from "../session.js";
import { type FileDesk, openFileDesk, unknownFile } from "../toolfiles/file-desk.js";
import { carryOut } from "./execute.js";

export const runTool: Handler = async (input, context) => {
  const given = await readGiven(input, context);
  return await withEngine(context, async (engine) => {
    const stages = await openCatalog(engine);
    const { server, name: tool, definition } = await find(input.argument("tool_id"), stages);
    const read = await readArgumentWords(input.list("parameters"), context.io);
    const target = { inputSchema: definition.inputSchema, signature: toSignature(definition) };
    const parsed = given ?? toGivenArguments(read, target);
    const hasUsedInput = input.text("paramsFile") === "-" || read.hasUsedInput;
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
async function find(id: string, stages: Stages): Promise<Tool> {
  const { servers, tools } = stages.snapshot();
  const { server, name } = splitId(id, servers);
  const tool = servers.get(server)?.tools.find((one) => one.name === name);
  if (tool !== undefined) return tool;
  const desk = openFileDesk(stages);
  const { files, refused } = await desk.read();
  const bad = blame(refused, id, desk);
  if (bad !== undefined) throw bad.error;
  const known = [...tools.values()].flatMap(({ file }) => (file === undefined ? [] : [file.id]));
  throw unknownFile(id, [...known, ...files.map(({ file }) => file.toolId)], desk.folders);
}

/** Of all files of that name the one that would be used. That another stands in its place is no reason while there is a better one. */
function blame(refused: readonly RefusedFile[], id: string, { folders }: FileDesk): RefusedFile | undefined {
  const named = refused
    .filter(({ path }) => basename(path) === `${id}.yaml`)
    .toSorted((a, b) => folders.indexOf(dirname(a.path)) - folders.indexOf(dirname(b.path)));
  return named.find(({ reason }) => reason !== "shadowed") ?? named[0];
}
