import type { JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import type { Match } from "../search/explain.js";
import { summarize } from "../search/summary.js";
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
  /** The top-level parameters, in a compact form. */
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
  /** Which words of the query matched, and in which field of the tool. Only present with the option `explain`. */
  readonly why?: readonly Match[];
}

export function toToolMetadata(tool: Tool): ToolMetadata {
  const { parameters, examples = [] } = describeTool(tool);
  return {
    server: tool.server,
    name: tool.name,
    summary: summaryOf(tool),
    description: tool.definition.description ?? "",
    parameters,
    examples,
    inputSchema: tool.definition.inputSchema,
    enabled: tool.enabled,
    tags: tool.tags,
  };
}

export function toSearchResult({ tool, relevance, why }: FoundTool): SearchResult {
  const { server, name, tags } = tool;
  return { server, tool: name, summary: summaryOf(tool), relevance, tags, ...(why === undefined ? {} : { why }) };
}

export function summaryOf({ definition }: Tool, maxLength?: number): string {
  return summarize(definition.description ?? definition.title ?? "", maxLength);
}
