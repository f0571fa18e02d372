import { estimateTokenCount } from "tokenx";
import type { CatalogServer, Snapshot } from "../../catalog/snapshot.js";
import { isBuiltIn } from "../../catalog/snapshot.js";
import type { Tool } from "../../model/tool.js";

/**
 * How many characters of a server's tool list (as JSON) are tokenized. For a longer list, the estimate is extrapolated.
 */
const SAMPLE = 40_000;

/**
 * Estimates how many tokens a `tools/list` response with all tools would have. The estimate for a server is computed
 * again only when its tools change.
 */
export function createListingTokens(snapshot: () => Snapshot): () => number {
  const known = new WeakMap<readonly Tool[], number>();
  let last: { readonly tools: Snapshot["tools"]; readonly tokens: number } | undefined;

  const tokensOf = (server: CatalogServer): number => {
    if (isBuiltIn(server)) return 0;
    const tokens = known.get(server.tools) ?? estimate(server.tools);
    known.set(server.tools, tokens);
    return tokens;
  };

  return () => {
    const { tools, servers } = snapshot();
    if (last?.tools !== tools) {
      let tokens = 0;
      for (const server of servers.values()) tokens += tokensOf(server);
      last = { tools, tokens };
    }
    return last.tokens;
  };
}

function estimate(tools: readonly Tool[]): number {
  const listed = tools.filter(({ enabled }) => enabled).map(({ definition }) => toListed(definition));
  const text = listed.length === 0 ? "" : JSON.stringify(listed);
  if (text.length <= SAMPLE) return estimateTokenCount(text);
  return Math.round((estimateTokenCount(text.slice(0, SAMPLE)) * text.length) / SAMPLE);
}

/** Returns the members of a tool that are included in the token estimate. */
function toListed({ name, description, inputSchema }: Tool["definition"]): object {
  return { name, description, inputSchema };
}
