import { toolId } from "../../src/model/tool.js";
import type { EvalTool } from "../../src/operations/evaluation/evaluation-files.js";

/**
 * Adds distractors to the tools of a set. Omits distractors with the id of a tool of the set, and renames servers of
 * distractors that have the name of a server of the set, so that labels refer only to tools of the set.
 */
export function addDistractors(own: readonly EvalTool[], distractors: readonly EvalTool[]): EvalTool[] {
  const ids = new Set(own.map(idOf));
  const taken = new Set([...own, ...distractors].map(({ server }) => server));
  const renamed = new Map<string, string>();
  for (const { server } of own) if (!renamed.has(server)) renamed.set(server, freeName(server, taken));
  const others = distractors
    .filter((tool) => !ids.has(idOf(tool)))
    .map((tool) => ({ ...tool, server: renamed.get(tool.server) ?? tool.server }));
  return [...own, ...others];
}

function idOf({ server, definition }: EvalTool): string {
  return toolId(server, definition.name);
}

function freeName(server: string, taken: Set<string>): string {
  let number = 2;
  while (taken.has(`${server}-${number}`)) number += 1;
  const name = `${server}-${number}`;
  taken.add(name);
  return name;
}
