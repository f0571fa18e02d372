import type { PendingServer } from "../catalog/starts.js";
import type { CatalogServer } from "../catalog/snapshot.js";
import type { Suggestion } from "../directory/rank.js";
import type { Tool } from "../model/tool.js";
import type { Match } from "../search/explain.js";

export interface FoundTool {
  readonly tool: Tool;
  readonly relevance: number;
  /** Which words of the query matched, and where; only present if the request has `explain`. */
  readonly why?: readonly Match[];
}

export interface FoundTools {
  readonly hits: readonly FoundTool[];
  /** How many more tools match. */
  readonly more: number;
  /** The closest tools, best first, when no tool matches. None of them belongs to the built-in server. */
  readonly closest: readonly Tool[];
  /** Whether any server besides the built-in one is configured. */
  readonly hasServers: boolean;
  /** Public servers that the user could add, best first; only when no tool matches and the directory has a certain match. */
  readonly installable?: readonly Suggestion[];
  /** Servers that are still starting for the first time. */
  readonly pending: readonly PendingServer[];
  /** Servers that could not be started or reached, and whose tools are not known. */
  readonly failed: readonly CatalogServer[];
}
