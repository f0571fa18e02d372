// Options of the public methods of `DiscoveryEngine`.
import type { LoadedConfig } from "../config/load.js";
import type { ExecutionResult } from "../metatools/to-execution-result.js";
import type { AskPerson, CallEvent } from "../model/call.js";
import type { JsonObject } from "../model/json.js";
import type { FindOptions } from "./find-configuration.js";
import type { ObserveOptions } from "./observing/observers.js";
import type { RuntimeOptions } from "./runtime-environment.js";

/** Options of `new DiscoveryEngine(config, options)`. */
export interface EngineOptions extends RuntimeOptions {
  /**
   * Loads the configuration on first use and on each `reload()`. Replaces the constructor's `config` argument.
   * @internal
   */
  readonly load?: () => Promise<LoadedConfig>;
  /** The destinations to which calls and searches are reported: metrics and the log. @internal */
  readonly observe?: ObserveOptions;
}

/** Options of `openEngine`. */
export interface OpenOptions extends EngineOptions, FindOptions {}

/** Options of `engine.search` and `engine.searchTools`. */
export interface SearchToolsOptions {
  /** The name of a server: only its tools are searched. */
  readonly server?: string;
  /** The maximum number of results, 1 to 50. Default: `search.limit` of the configuration. */
  readonly limit?: number;
  /** Whether to include tools that a rule in `toolRules` disables. Default: `false`. */
  readonly includeDisabled?: boolean;
  /**
   * Whether to add `why` to each result: which words of the query matched, and in which field of the tool. Default:
   * `false`.
   */
  readonly explain?: boolean;
  /**
   * The longest wait in milliseconds for servers whose tools are not known yet. Default: 60,000. The search waits at
   * most 10 s for a server that shows no activity. With 0 it searches only the tools that are known now.
   */
  readonly waitMs?: number;
}

/** Options of `engine.listTools`. */
export interface ListToolsOptions {
  /** Lists only the tools that contain all these words; if none does, the closest tools. */
  readonly query?: string;
  /** Whether to include tools that a rule in `toolRules` disables. Default: `false`. */
  readonly includeDisabled?: boolean;
}

/** Options of `engine.ready`. */
export interface ReadyOptions {
  /**
   * How long `ready` waits at most for servers that are still starting, in milliseconds. After that, `ready` resolves
   * with the current state. Default: 60,000.
   */
  readonly timeoutMs?: number;
  /** Ends the wait early; `ready` then resolves with the current state. */
  readonly signal?: AbortSignal;
}

/** Options of `engine.connect`. */
export interface ConnectOptions {
  /** Ends the wait early; `connect` then rejects with `CANCELLED`. The server continues to start. */
  readonly signal?: AbortSignal;
}

/**
 * The arguments of a tool: an object that can be serialized as JSON. Objects typed by an `interface` are accepted;
 * arrays and other iterables are not.
 */
export type ToolArguments = JsonObject | (object & { readonly [Symbol.iterator]?: never });

/** Options of `engine.executeTool` and `engine.executeStream`. */
export interface ExecuteOptions {
  /**
   * The timeout in milliseconds. Each progress report restarts it. Default: `execution.timeoutMs` of the configuration.
   */
  readonly timeoutMs?: number;
  /** Receives progress and log messages of the tool while the call runs. */
  readonly onEvent?: (event: CallEvent) => void;
  /**
   * The idempotency key. The call runs at most once per key, even after a crash: a repeated call with the same key and
   * arguments returns the stored result. 1 to 255 visible ASCII characters.
   */
  readonly idempotencyKey?: string;
  /**
   * Whether the user has confirmed this call. Takes effect only if the same call has failed with
   * `CONFIRMATION_REQUIRED` before and `policy.confirmation.mode` accepts confirmations from clients.
   */
  readonly confirmed?: boolean;
  /**
   * If true, nothing is sent to the server and no rate limit or confirmation is used up. The result describes what the
   * call would do.
   */
  readonly dryRun?: boolean;
  /** A JMESPath expression. The result has only the part that it selects. */
  readonly select?: string;
  /**
   * The budget for the result in estimated tokens: 0, or at least 200. A larger result is shortened, and the tool
   * `anygpt:read_result` reads the rest. Default: 0, no budget.
   */
  readonly maxTokens?: number;
  /**
   * Called to ask the user when a call needs a confirmation. Without this function, such a call fails with
   * `CONFIRMATION_REQUIRED`.
   */
  readonly confirm?: AskPerson;
  /** Cancels the call; the result is then an error with the code `CANCELLED`. */
  readonly signal?: AbortSignal;
}

/** What `executeStream` yields: events while the call runs, then one result. */
export type StreamedExecution = CallEvent | { readonly kind: "result"; readonly result: ExecutionResult };
