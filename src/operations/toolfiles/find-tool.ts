import { basename, dirname } from "node:path";
import type { Stages } from "../../gateway/stages.js";
import { splitId } from "../../metatools/gateway/registry-comparison.js";
import type { Tool } from "../../model/tool.js";
import type { RefusedFile } from "../../toolfiles/read-tool-files.js";
import { openToolFiles, type ToolFileFolders, unknownFile } from "./open-tool-files.js";

/** The tool of a tool file. Throws the reason if the file is invalid, or TOOL_NOT_FOUND with the nearest names. */
export async function findToolOfFile(id: string, stages: Stages): Promise<Tool> {
  const { servers, tools } = stages.snapshot();
  const { server, name } = splitId(id, servers);
  const tool = servers.get(server)?.tools.find((one) => one.name === name);
  if (tool !== undefined) return tool;
  const folders = openToolFiles(stages);
  const { files, refused } = await folders.read();
  const bad = findRefused(refused, id, folders);
  if (bad !== undefined) throw bad.error;
  const known = [...tools.values()].flatMap(({ file }) => (file === undefined ? [] : [file.id]));
  throw unknownFile(id, [...known, ...files.map(({ file }) => file.toolId)], folders.folders);
}

/**
 * The first refused file with this id, in the order of the folders. A shadowed file (the gateway uses another file for
 * the same tool) is returned only if there is no other.
 */
function findRefused(
  refused: readonly RefusedFile[],
  id: string,
  { folders }: ToolFileFolders,
): RefusedFile | undefined {
  const named = refused
    .filter(({ path }) => basename(path) === `${id}.yaml`)
    .toSorted((a, b) => folders.indexOf(dirname(a.path)) - folders.indexOf(dirname(b.path)));
  return named.find(({ reason }) => reason !== "shadowed") ?? named[0];
}
