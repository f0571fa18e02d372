import { DiscoveryError } from "../errors.js";
import type { Quarantine, Tool, ToolDefinition } from "../model/tool.js";
import { commandLine } from "../util/command-line.js";

/** Why tools of one server are quarantined, by tool name. */
export type Quarantines = ReadonlyMap<string, Quarantine>;

export const NO_QUARANTINES: Quarantines = new Map();

/** Returns the placeholder that replaces a quarantined definition in tool lists. */
export function toPlaceholder({ name }: ToolDefinition): ToolDefinition {
  const description = "Quarantined: the definition of this tool needs the user's approval and is not shown.";
  return { name, description, inputSchema: { type: "object" } };
}

const MESSAGES: Record<Quarantine["reason"], (id: string) => string> = {
  changed: (id) => `The definition of ${id} has changed and needs the user's approval.`,
  new: (id) => `${id} is new and needs the user's approval.`,
  signed: (id) => `The server's definition of ${id} differs from its signed file.`,
  unknown: (id) => `The approval status of ${id} could not be read.`,
};

/** The error for a quarantined tool. It names the differing members, but quotes nothing from the current definition. */
function quarantined({ id, server, name }: Tool, { reason, differs }: Quarantine): DiscoveryError {
  const command = commandLine(
    reason === "signed"
      ? ["anygpt", "mcp", "discover", "--check", "--name", server]
      : ["anygpt", "mcp", "pins", "diff", server, name],
  );
  return new DiscoveryError("TOOL_QUARANTINED", MESSAGES[reason](id), {
    server,
    tool: name,
    hint: [
      "Choose another tool, or ask the user to review this one.",
      { action: "run-command", command, purpose: "review it" },
    ],
    facts: differs.length === 0 ? { reason } : { reason, changed: differs },
  });
}

/**
 * Throws if the tool is quarantined. Call it again before a queued call is sent: the definition may change in the
 * meantime.
 */
export function assertNotQuarantined(tool: Tool | undefined): void {
  if (tool?.quarantine !== undefined) throw quarantined(tool, tool.quarantine);
}
