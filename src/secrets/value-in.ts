import type { ToolResult } from "./run-tool.js";

/** The secret that a program printed, without the trailing line break; undefined if it printed none. */
export function valueIn(result: ToolResult): string | undefined {
  if (result.kind !== "ended" || result.code !== 0) return undefined;
  const value = result.stdout.replace(/[\r\n]+$/, "");
  return value === "" ? undefined : value;
}
