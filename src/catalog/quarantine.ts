import { DiscoveryError } from "../errors.js";
import type { Quarantine, Tool, ToolDefinition } from "../model/tool.js";
import { commandLine } from "../util/command-line.js";

/** Why tools of one server are kept back, by name. */
export type Doubts = ReadonlyMap<string, Quarantine>;

export const NO_DOUBTS: Doubts = new Map();

/** What stands where the real definition must not: an agent that lists everything reads this. */
export function withheld({ name }: ToolDefinition): ToolDefinition {
  const description = "Quarantined: its definition waits for a person's approval and is not shown.";
  return { name, description, inputSchema: { type: "object" } };
}

const WHAT: Record<Quarantine["reason"], (id: string) => string> = {
  changed: (id) => `The definition of ${id} has changed and waits for a person's approval.`,
  new: (id) => `${id} is new and waits for a person's approval.`,
  signed: (id) => `What the server says of ${id} is not what its signed file says.`,
  unknown: (id) => `It could not be read whether a person has approved the definition of ${id}.`,
};

/** The refusal, which tells where the definitions differ and nothing of what the server says now. */
function quarantined({ id, server, name }: Tool, { reason, differs }: Quarantine): DiscoveryError {
  const command = commandLine(
    reason === "signed"
      ? ["anygpt", "mcp", "discover", "--check", "--name", server]
      : ["anygpt", "mcp", "pins", "diff", server, name],
  );
  return new DiscoveryError("TOOL_QUARANTINED", WHAT[reason](id), {
    server,
    tool: name,
    hint: `Choose another tool, or ask the person who runs the gateway to look at it: \`${command}\`.`,
    facts: differs.length === 0 ? { reason } : { reason, changed: differs },
  });
}

/** Throws what keeps the tool back. A definition may have changed while a call waited for its turn. */
export function assertShown(tool: Tool | undefined): void {
  if (tool?.quarantine !== undefined) throw quarantined(tool, tool.quarantine);
}
