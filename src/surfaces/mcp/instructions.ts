import type { ServerDefinition } from "../../model/server.js";
import { cutAtWord, toOneLine } from "../../util/text.js";

const MAX_TOKENS = 145;
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
  return mostTokens(text) <= MAX_TOKENS ? text : undefined;
}

function cutList(names: readonly string[]): string {
  const toText = (count: number): string =>
    `${INTRODUCTION} Behind it ${names.length} servers: ${names.slice(0, count).join(", ")} and ${names.length - count} more (list_mcp_servers).`;
  let count = 1;
  while (count < names.length && mostTokens(toText(count + 1)) <= MAX_TOKENS) count += 1;
  return toText(count);
}

/** A pessimistic estimate: words of a common alphabet cost about a token per four letters, anything else more. */
function mostTokens(text: string): number {
  const letters = text.match(/[A-Za-z ]/g)?.length ?? 0;
  const signs = text.match(/[!-@[-`{-~]/g)?.length ?? 0;
  return letters / 3.6 + signs * 0.75 + (text.length - letters - signs) * 1.5;
}
