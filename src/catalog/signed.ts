import type { FiledTool } from "../model/server.js";
import type { Quarantine, ToolDefinition } from "../model/tool.js";
import { differingPointers } from "./differing-pointers.js";
import type { Quarantines } from "./quarantine.js";
import { isEqualJson } from "../util/json/is-equal.js";

/** The members that a tool file contains and that its signature covers. */
const SIGNED_MEMBERS = ["title", "description", "inputSchema", "outputSchema", "annotations"] as const;

/** Adds a quarantine for every tool whose definition on the server differs from its signed file. */
export function withSigned(
  quarantines: Quarantines,
  tools: readonly ToolDefinition[],
  files: ReadonlyMap<string, FiledTool>,
): Quarantines {
  if (files.size === 0) return quarantines;
  const more = new Map<string, Quarantine>();
  for (const tool of tools) {
    const filed = files.get(tool.name);
    if (filed === undefined) continue;
    const [signed, live] = [signedPart(filed.definition), signedPart(tool)];
    if (isEqualJson(signed, live)) continue;
    more.set(tool.name, { reason: "signed", differs: differingPointers(signed, live) });
  }
  return more.size === 0 ? quarantines : new Map([...quarantines, ...more]);
}

function signedPart(tool: ToolDefinition): Record<string, unknown> {
  return Object.fromEntries(SIGNED_MEMBERS.flatMap((name) => (tool[name] === undefined ? [] : [[name, tool[name]]])));
}
