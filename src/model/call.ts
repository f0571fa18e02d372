import type { Actor } from "./actor.js";
import type { JsonObject } from "./json.js";

/** One execution as a surface asks for it. */
export interface Call {
  readonly actor: Actor;
  readonly server: string;
  readonly tool: string;
  readonly arguments: unknown;
  /** Longest silence to wait through, in milliseconds; every progress report starts it anew. */
  readonly timeoutMs?: number;
  /** Longest wait for a server that has to be started first. */
  readonly startWaitMs?: number;
  /** Protocol metadata of the caller's request that travels upstream, without the caller's progress token. */
  readonly meta?: JsonObject;
  readonly onEvent?: (event: CallEvent) => void;
  /** The caller is no model and wants the result whole, however large. */
  readonly whole?: boolean;
}

/** What a tool answered, passed through unchanged: `isError` is an answer, not an exception. */
export interface CallResult {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly [member: string]: unknown;
}

/** What happens while a call is under way. */
export type CallEvent =
  | { readonly kind: "progress"; readonly progress: number; readonly total?: number; readonly message?: string }
  | { readonly kind: "log"; readonly level: string; readonly logger?: string; readonly data: unknown };
