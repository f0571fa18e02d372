import type { PendingServer } from "../catalog/starts.js";
import type { CatalogServer } from "../catalog/snapshot.js";
import type { Suggestion } from "../directory/rank.js";
import type { Tool } from "../model/tool.js";
import type { Match } from "../search/explain.js";
import type { Fit } from "../search/relevance.js";

export interface FoundTool {
  readonly tool: Tool;
  /** All tools of the same server that the caller can see. */
  readonly serverTools?: readonly Tool[];
  readonly relevance: number;
  /** If the query names several steps: the number of the step, from 1, for which this tool is the best. */
  readonly step?: number;
  /** Which words of the query matched, and in which field of the tool. Only present if the request has `explain`. */
  readonly why?: readonly Match[];
}

export interface FoundTools {
  /** How well the hits fit the query. If it is `none`, the hits are only the closest tools, at most three. */
  readonly fit: Fit;
  readonly hits: readonly FoundTool[];
  /** Further tools that may still be right, best first. */
  readonly also: readonly FoundTool[];
  /** Known products that the query names and that no tool contains. */
  readonly missing: readonly string[];
  /** Whether any server besides the built-in one is configured. */
  readonly hasServers: boolean;
  /**
   * Public servers that the user could add, best first. Only set if no tool fits and a server in the directory
   * certainly fits the query.
   */
  readonly installable?: readonly Suggestion[];
  /** Servers that are still starting for the first time. */
  readonly pending: readonly PendingServer[];
  /** Servers that could not be started or reached, and whose tools are not known. */
  readonly failed: readonly CatalogServer[];
}
