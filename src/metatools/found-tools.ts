import type { PendingServer } from "../catalog/starts.js";
import type { CatalogServer } from "../catalog/snapshot.js";
import type { Suggestion } from "../directory/rank.js";
import type { Tool } from "../model/tool.js";
import type { Match } from "../search/explain.js";

export interface FoundTool {
  readonly tool: Tool;
  readonly relevance: number;
  /** Where the words of the query stand in it, when that was asked for. */
  readonly why?: readonly Match[];
}

export interface FoundTools {
  readonly hits: readonly FoundTool[];
  /** How many more fit as well. */
  readonly more: number;
  readonly suggestions: readonly string[];
  /** Public servers that the user could add, best first; only when nothing fits and the directory is sure. */
  readonly installable?: readonly Suggestion[];
  /** Servers that have not answered for the first time yet. */
  readonly pending: readonly PendingServer[];
  /** Servers that could not be asked and whose tools are not known. */
  readonly failed: readonly CatalogServer[];
}
