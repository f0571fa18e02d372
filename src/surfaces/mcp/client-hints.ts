// Hints for single MCP clients in `_meta` of the listed tools. Other clients ignore them, and no model sees them.
import type { ListedPage, ListedTool } from "../../metatools/full-mode.js";
import { isJsonObject } from "../../model/json.js";

/**
 * Claude Code loads a tool of an MCP server only after the model has searched for it, unless the tool has this member
 * (https://code.claude.com/docs/en/mcp, Claude Code 2.1.121). The meta-tools are how the model finds everything else.
 */
const ALWAYS_LOAD = { "anthropic/alwaysLoad": true };

/**
 * Claude Code writes a longer result to a file and gives the model a reference to it; without this member, it does so
 * above 25,000 tokens (https://code.claude.com/docs/en/mcp, Claude Code 2.1.91). The gateway has fitted the result to
 * the budget of the call already, and the caller may have chosen a large budget. The value is the highest that Claude
 * Code accepts, and higher than the default of `execution.resultLimit`.
 */
const LONG_RESULTS = { "anthropic/maxResultSizeChars": 500_000 };

/** Returns the list of the five meta-tools with the hints. Not for full mode, where clients should defer the tools. */
export function withClientHints(page: ListedPage): ListedPage {
  return { ...page, tools: page.tools.map(withHints) };
}

function withHints(tool: ListedTool): ListedTool {
  return { ...tool, _meta: { ...ALWAYS_LOAD, ...(isReadOnly(tool) ? {} : LONG_RESULTS) } };
}

/** Only the meta-tool that calls the tools of servers is not read-only. */
function isReadOnly({ annotations }: ListedTool): boolean {
  return isJsonObject(annotations) && annotations["readOnlyHint"] === true;
}
