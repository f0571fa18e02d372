import type { JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import type { Match } from "../search/explain.js";
import { summarize } from "../search/summary.js";
import { describeTool, type ToolExample, type ToolParameter } from "./describe-tool.js";
import type { FoundTool } from "./found-tools.js";

export type ServerStatus = "connected" | "disconnected" | "error";

/** One server as lists show it. */
export interface ServerSummary {
  readonly name: string;
  readonly description: string;
  readonly toolCount: number;
  readonly enabledCount: number;
  readonly status: ServerStatus;
  /** Its tools are known, from its own list or from the configuration. */
  readonly known: boolean;
  /** Why it cannot be used, and what to do about it. */
  readonly reason?: string;
}

/** A tool as embedding programs see it. */
export interface ToolMetadata {
  readonly server: string;
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly ToolParameter[];
  readonly examples: readonly ToolExample[];
  readonly inputSchema: JsonObject;
  readonly enabled: boolean;
  readonly tags: readonly string[];
}

export interface SearchResult {
  readonly server: string;
  readonly tool: string;
  readonly summary: string;
  /** 0 to 1, comparable between queries. */
  readonly relevance: number;
  readonly tags: readonly string[];
  /** Which words of the query it has, as what and where; with `explain` only. */
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
