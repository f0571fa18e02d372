import { toolId } from "../../src/model/tool.js";
import type { EvalTool } from "../../src/operations/evaluation/evaluation-files.js";

/**
 * The tools of a set among others. A distractor that has the id of one of the set's is left out; a server of the
 * distractors that has the name of one of the set's gets another, so that labels mean the set's own tools alone.
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
