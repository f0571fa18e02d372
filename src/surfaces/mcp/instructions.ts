import type { ServerDefinition } from "../../model/server.js";
import { cutAtWord, toOneLine } from "../../util/text.js";

/** Few enough characters to stay under 150 tokens, whatever the names are made of. */
const MAX_CHARACTERS = 440;
const MAX_DESCRIPTION = 40;

const INTRODUCTION = "Gateway to other MCP servers. Find tools with search_tools, run them with execute_tool.";

/** What an agent is told at the start: what it could search for. Depends on the configuration alone, so it is stable. */
export function toInstructions(servers: readonly ServerDefinition[]): string {
  if (servers.length === 0) return `${INTRODUCTION} No server is configured yet.`;
  const names = servers.map(({ name }) => toOneLine(name));
  const described = servers.map(({ name, description }) =>
    description === undefined
      ? toOneLine(name)
      : `${toOneLine(name)} (${cutAtWord(toOneLine(description), MAX_DESCRIPTION)})`,
  );
  return fit(described) ?? fit(names) ?? cutList(names);
}

function fit(items: readonly string[]): string | undefined {
  const text = `${INTRODUCTION} Behind it: ${items.join(", ")}.`;
  return text.length <= MAX_CHARACTERS ? text : undefined;
}

function cutList(names: readonly string[]): string {
  let count = names.length;
  const toText = (): string =>
    `${INTRODUCTION} Behind it ${names.length} servers: ${names.slice(0, count).join(", ")} and ${names.length - count} more (list_mcp_servers).`;
  while (count > 1 && toText().length > MAX_CHARACTERS) count -= 1;
  return toText();
}
