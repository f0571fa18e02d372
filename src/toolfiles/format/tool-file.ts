import type { HttpConnection, SseConnection, StdioConnection } from "../../model/server.js";
import type { ToolDefinition } from "../../model/tool.js";
import { canonicalJson } from "../../util/json/canonical.js";
import { sha256 } from "../../util/sha256.js";

/** A tool file: the server's definition of a tool, how the server is reached, and additions by the user. */
export interface ToolFile {
  /** The id of the tool, which is the file name without `.yaml`. */
  readonly toolId: string;
  readonly version: string;
  readonly server: string;
  /** The server's definition, reduced to the members that a file stores. */
  readonly tool: ToolDefinition;
  /** When the tool was discovered, in UTC to the second: `2026-01-27T12:00:00Z`. */
  readonly discoveredAt: string;
  /**
   * The hash of the server's definition when the file was written. After a manual edit, it differs from the hash of
   * `tool`.
   */
  readonly definitionHash: string;
  readonly risk?: ToolFileRisk;
  readonly needs: readonly EnvNeed[];
  /**
   * How the server is reached. Only values of headers and environment variables may contain `${NAME}`, with a name from
   * `needs`.
   */
  readonly connection: FileConnection;
  readonly timeoutMs: number;
}

export type FileConnection = StdioConnection | HttpConnection | SseConnection;

/** An environment variable that the connection needs. */
export interface EnvNeed {
  readonly name: string;
  readonly description: string;
  /** The HTTP header that contains the variable, if there is one. */
  readonly header?: string;
  readonly required: boolean;
}

export const TOOL_FILE_RISKS = ["low", "medium", "high", "destructive"] as const;
export type ToolFileRisk = (typeof TOOL_FILE_RISKS)[number];

export const DEFAULT_TIMEOUT_MS = 30_000;
export const MAX_TOOL_FILE_BYTES = 512 * 1024;
/**
 * The maximum nesting depth of a definition. It is below the limit for a whole file, because the definition is nested
 * inside the file.
 */
export const MAX_DEFINITION_DEPTH = 60;

/** Returns the members of a definition that a tool file stores, without icons and other additions. */
export function keptDefinition(tool: ToolDefinition): ToolDefinition {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

/** SHA-256 of the members that a tool file stores, in canonical JSON. */
export function definitionHash(tool: ToolDefinition): string {
  return sha256(canonicalJson(keptDefinition(tool)));
}
