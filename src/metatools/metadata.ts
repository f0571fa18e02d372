import { toShortSignature } from "../catalog/signature.js";
import type { JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import type { Match } from "../search/explain.js";
import { summarize } from "../search/summary.js";
import { dropSharedSentences, findSharedSentences, type SharedSentences } from "../search/shared-sentences.js";
import { withoutHiddenText } from "../util/hidden-text.js";
import { describeTool, type ToolExample, type ToolParameter } from "./describe-tool.js";
import type { FoundTool } from "./found-tools.js";

/**
 * `connected`: a connection is open. `disconnected`: no connection is open; the next call opens one. `error`: the last
 * start failed.
 */
export type ServerStatus = "connected" | "disconnected" | "error";

/** A server in the result of `listServers`. */
export interface ServerSummary {
  readonly name: string;
  readonly description: string;
  /** The number of all tools of the server; 0 while `known` is false. */
  readonly toolCount: number;
  /** The number of tools that can be called. */
  readonly enabledCount: number;
  readonly status: ServerStatus;
  /** Whether the server's tools are known, from the server itself or from the configuration. */
  readonly known: boolean;
  /** Why the server cannot be used, and what to do next. Set only if `status` is `error`. */
  readonly reason?: string;
}

/** A tool in the results of `listTools` and `getToolDetails`. */
export interface ToolMetadata {
  readonly server: string;
  readonly name: string;
  /** The first informative sentence of the description, at most 100 characters. */
  readonly summary: string;
  /** The complete description, as the server sent it. */
  readonly description: string;
  /** The top-level parameters, in a compact form: their descriptions may be shortened. `inputSchema` is complete. */
  readonly parameters: readonly ToolParameter[];
  readonly examples: readonly ToolExample[];
  /** The JSON Schema of the arguments, as the server sent it. */
  readonly inputSchema: JsonObject;
  /**
   * Whether the tool can be called: `false` if a rule disables it, or if it is quarantined until an operator approves
   * its definition.
   */
  readonly enabled: boolean;
  /** The tags that the rules assign to the tool. */
  readonly tags: readonly string[];
}

/** A tool that matches a query. */
export interface SearchResult {
  readonly server: string;
  readonly tool: string;
  /** The first informative sentence of the description, at most 100 characters. */
  readonly summary: string;
  /** How well the tool matches the query, from 0 to 1. Values for different queries can be compared. */
  readonly relevance: number;
  /** The tags that the rules assign to the tool. */
  readonly tags: readonly string[];
  /** The parameters, such as `(path: string, head?: integer)`. Only the first three results have it, if it is short. */
  readonly signature?: string;
  /** Which words of the query matched, and in which field of the tool. Only present with the option `explain`. */
  readonly why?: readonly Match[];
}

export function toToolMetadata(tool: Tool, serverTools: readonly Tool[]): ToolMetadata {
  const { parameters, examples = [] } = describeTool(tool);
  return {
    server: tool.server,
    name: tool.name,
    summary: summaryOf(tool, undefined, serverTools),
    description: tool.definition.description ?? "",
    parameters,
    examples,
    inputSchema: tool.definition.inputSchema,
    enabled: tool.enabled,
    tags: tool.tags,
  };
}

export function toSearchResult({ tool, serverTools, relevance, why }: FoundTool, rank: number): SearchResult {
  const { server, name, tags, definition } = tool;
  const signature = rank < SIGNED_HITS ? toShortSignature(definition) : undefined;
  return {
    server,
    tool: name,
    summary: summaryOf(tool, undefined, serverTools),
    relevance,
    tags,
    ...(signature === undefined ? {} : { signature }),
    ...(why === undefined ? {} : { why }),
  };
}

/** How many hits of a search get a signature, so that most calls need no further details. */
export const SIGNED_HITS = 3;

/**
 * Summarizes a tool in one line. With `serverTools`, all tools of its server, the summary omits sentences that these
 * tools share.
 */
export function summaryOf(tool: Tool, maxLength?: number, serverTools?: readonly Tool[]): string {
  const { definition, quarantine } = tool;
  const description = withoutHiddenText(definition.description ?? definition.title ?? "");
  if (serverTools === undefined || quarantine !== undefined) return summarize(description, maxLength);
  return summarize(dropSharedSentences(description, sharedBy(serverTools)), maxLength);
}

/** The catalog creates a new array whenever the tools of a server change. */
const sharedSentences = new WeakMap<readonly Tool[], SharedSentences>();

function sharedBy(tools: readonly Tool[]): SharedSentences {
  const known = sharedSentences.get(tools);
  if (known !== undefined) return known;
  const usable = tools.filter(({ quarantine }) => quarantine === undefined);
  const found = findSharedSentences(usable.map(({ definition }) => definition.description ?? ""));
  sharedSentences.set(tools, found);
  return found;
}
