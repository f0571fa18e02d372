import type { HttpConnection, SseConnection, StdioConnection } from "../../model/server.js";
import type { ToolDefinition } from "../../model/tool.js";
import { canonicalJson } from "../../util/json/canonical.js";
import { sha256 } from "../../util/sha256.js";

/** A tool of a server as a file describes it: what the server says of it, how the server is reached, what a person adds. */
export interface ToolFile {
  /** The file's name without `.yaml`. */
  readonly toolId: string;
  readonly version: string;
  readonly server: string;
  /** What the server says, in the members that a file keeps. */
  readonly tool: ToolDefinition;
  /** In UTC, to the second: `2026-01-27T12:00:00Z`. */
  readonly discoveredAt: string;
  /** Of what the server said when the file was written: differs from that of `tool` once a person has edited it. */
  readonly definitionHash: string;
  readonly risk?: Risk;
  readonly needs: readonly EnvNeed[];
  /** Values of headers and of environment variables may hold `${NAME}` of `needs`; no other string does. */
  readonly connection: FileConnection;
  readonly timeoutMs: number;
}

export type FileConnection = StdioConnection | HttpConnection | SseConnection;

/** A variable that the connection needs. */
export interface EnvNeed {
  readonly name: string;
  readonly description: string;
  /** The HTTP header that carries it. */
  readonly header?: string;
  readonly required: boolean;
}

export const RISKS = ["low", "medium", "high", "destructive"] as const;
export type Risk = (typeof RISKS)[number];

export const DEFAULT_TIMEOUT_MS = 30_000;
export const LARGEST_BYTES = 512 * 1024;
/** Some levels less than a document may have, because a file puts a definition into others. */
export const DEEPEST_DEFINITION = 60;

/** The members of a definition that a file keeps. Pictures and whatever else a server adds are not among them. */
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

/** SHA-256 of the kept members in canonical JSON. */
export function definitionHash(tool: ToolDefinition): string {
  return sha256(canonicalJson(keptDefinition(tool)));
}
