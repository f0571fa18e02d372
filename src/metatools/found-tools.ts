import type { PendingServer } from "../catalog/starts.js";
import type { CatalogServer } from "../catalog/snapshot.js";
import type { Suggestion } from "../directory/rank.js";
import type { Tool } from "../model/tool.js";
import type { Match } from "../search/explain.js";

export interface FoundTool {
  readonly tool: Tool;
  readonly relevance: number;
  /** Which words of the query matched, and in which field of the tool. Only present if the request has `explain`. */
  readonly why?: readonly Match[];
}

export interface FoundTools {
  readonly hits: readonly FoundTool[];
  /** How many tools match in addition to `hits`. */
  readonly more: number;
  /** If no tool matches: the closest tools, best first. Tools of the built-in server are excluded. */
  readonly closest: readonly Tool[];
  /** Whether any server besides the built-in one is configured. */
  readonly hasServers: boolean;
  /**
   * Public servers that the user could add, best first. Only set if no tool matches and a server in the directory
   * certainly fits the query.
   */
  readonly installable?: readonly Suggestion[];
  /** Servers that are still starting for the first time. */
  readonly pending: readonly PendingServer[];
  /** Servers that could not be started or reached, and whose tools are not known. */
  readonly failed: readonly CatalogServer[];
}
