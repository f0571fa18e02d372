import type { ToolFile } from "../../../toolfiles/format/tool-file.js";
import { commandLine } from "../../../util/command-line.js";

const MOST_EXAMPLES = 4;

/** The command that runs the tool of a file, with its required parameters. */
export function runLine(toolId: string, file: ToolFile | undefined): string {
  const required = file?.tool.inputSchema["required"];
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  const examples = names
    .filter((name) => /^[\w.-]{1,60}$/.test(name))
    .slice(0, MOST_EXAMPLES)
    .map((name) => `${name}=VALUE`);
  return commandLine(["anygpt", "mcp", "run", toolId, ...examples]);
}
