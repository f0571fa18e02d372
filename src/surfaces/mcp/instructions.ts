import type { ServerDefinition } from "../../model/server.js";
import { withoutHiddenText } from "../../util/hidden-text.js";
import { cutAtWord, toOneLine } from "../../util/text.js";

const MAX_TOKENS = 145;
const MAX_DESCRIPTION = 40;

/**
 * Returns the first sentences of the instructions. Clients that load tools on demand show the model the instructions
 * before the tools, so they say when to use the gateway. In full mode there are no meta-tools, so the text names none.
 */
function introduce(names: readonly string[]): string {
  const [find, run] = [/search|intent/, /execute/].map((pattern) => names.find((name) => pattern.test(name)));
  if (find === undefined || run === undefined)
    return "Gateway to other MCP servers; lists all their tools. Search its tools for a task that concerns one of them.";
  return `Gateway to other MCP servers. For a task that concerns one of them, or if no other tool fits, find tools with ${find} and run them with ${run}.`;
}

/**
 * Returns the MCP server instructions: how to use the gateway, and which servers it has. They depend only on the
 * configuration, so they stay the same while servers start.
 */
export function toInstructions(servers: readonly ServerDefinition[], offered: readonly string[]): string {
  const introduction = introduce(offered);
  if (servers.length === 0) return `${introduction} No server is configured yet.`;
  const names = servers.map(({ name }) => toOneLine(name));
  const described = servers.map(({ name, description }) =>
    description === undefined
      ? toOneLine(name)
      : `${toOneLine(name)} (${cutAtWord(toOneLine(withoutHiddenText(description)), MAX_DESCRIPTION)})`,
  );
  const more = offered.find((name) => /list_mcp_servers|adapters/.test(name));
  return fit(described, introduction) ?? fit(names, introduction) ?? truncateList(names, introduction, more);
}

function fit(items: readonly string[], introduction: string): string | undefined {
  const text = `${introduction} Servers: ${items.join(", ")}.`;
  return estimateTokens(text) <= MAX_TOKENS ? text : undefined;
}

function truncateList(names: readonly string[], introduction: string, listed: string | undefined): string {
  const where = listed === undefined ? "" : ` (${listed})`;
  const toText = (count: number): string =>
    `${introduction} ${names.length} servers: ${names.slice(0, count).join(", ")} and ${names.length - count} more${where}.`;
  let count = 1;
  while (count < names.length && estimateTokens(toText(count + 1)) <= MAX_TOKENS) count += 1;
  return toText(count);
}

/**
 * Estimates the number of tokens in a text, rather too high than too low: one token per 3.6 Latin letters, and more
 * tokens per character for other characters.
 */
function estimateTokens(text: string): number {
  const letters = text.match(/[A-Za-z ]/g)?.length ?? 0;
  const signs = text.match(/[!-@[-`{-~]/g)?.length ?? 0;
  return letters / 3.6 + signs * 0.75 + (text.length - letters - signs) * 1.5;
}
