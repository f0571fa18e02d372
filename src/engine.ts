// The gateway as an object: what embedding programs and the surfaces can ask of it. It decides nothing itself.
import type { Stages } from "./compose.js";
import type { DiscoveryConfig } from "./config/define.js";
import { givenConfig, type LoadedConfig, parseConfig } from "./config/load.js";
import { Lifecycle, type Reload } from "./lifecycle.js";
import { describeServer } from "./metatools/describe-server.js";
import { type SearchResult, type ServerSummary, type ToolMetadata, toToolMetadata } from "./metatools/metadata.js";
import { type Readiness, type SearchOutcome, toReadiness, toSearchOutcome } from "./metatools/readiness.js";
import { toSearchRequest } from "./metatools/search-input.js";
import { type ExecutionResult, toExecutionResult } from "./metatools/to-execution-result.js";
import { toErrorObject } from "./metatools/to-error-object.js";
import { localActor } from "./model/actor.js";
import type { AskPerson, CallEvent } from "./model/call.js";
import type { JsonObject } from "./model/json.js";
import type { ObserveOptions } from "./observing/observers.js";
import { type PlaceOptions, toPlace } from "./place.js";
import { eventStream } from "./util/event-stream.js";
import { underSignals } from "./util/under-signals.js";

export interface EngineOptions extends PlaceOptions {
  /** Where the configuration comes from, at first and on `reload()`, in place of the constructor's. @internal */
  readonly load?: () => Promise<LoadedConfig>;
  /** Who is to be told of calls and searches. @internal */
  readonly observe?: ObserveOptions;
}

export interface SearchToolsOptions {
  readonly server?: string;
  readonly limit?: number;
  readonly includeDisabled?: boolean;
  /** Whether each result says `why` it was found. */
  readonly explain?: boolean;
  /**
   * Longest wait in milliseconds for servers that have not answered yet, 60,000 by default. A server that hangs is waited
   * for at most 10 s. With 0 the search is over what is known.
   */
  readonly waitMs?: number;
}

export interface ReadyOptions {
  /** 60,000 by default. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const LONGEST_WAIT_MS = 60_000;

export interface ExecuteOptions {
  /** Longest silence in milliseconds. */
  readonly timeoutMs?: number;
  readonly onEvent?: (event: CallEvent) => void;
  /** Runs once for this key: the same call with the same key gets the first one's answer, also after a crash. */
  readonly idempotencyKey?: string;
  /** Your person wants this call; counts when it is repeated after `CONFIRMATION_REQUIRED`, where the policy lets callers say so. */
  readonly confirmed?: boolean;
  /** Nothing is sent and nothing is used up: the result says what would happen. */
  readonly dryRun?: boolean;
  /** Asks your person about a call that has to be confirmed. Without it such a call fails with `CONFIRMATION_REQUIRED`. */
  readonly confirm?: AskPerson;
  readonly signal?: AbortSignal;
}

/** What `executeStream` gives: events as they come, then the result. */
export type StreamedExecution = CallEvent | { readonly kind: "result"; readonly result: ExecutionResult };

/** A gateway over the servers of one configuration. No server is started before it is needed; `close()` ends them all. */
export class DiscoveryEngine {
  readonly #lifecycle: Lifecycle;

  constructor(config: DiscoveryConfig = {}, options: EngineOptions = {}) {
    const given = parseConfig(config);
    const place = toPlace(options);
    const load = options.load ?? (() => Promise.resolve(givenConfig(given, place.cwd)));
    this.#lifecycle = new Lifecycle(place, load, options.observe);
  }

  async listServers(): Promise<ServerSummary[]> {
    const { discovery, upstreams } = await this.known();
    return discovery.servers().map((server) => describeServer(server, upstreams.state(server.definition.name)));
  }

  /** Resolves when every server has answered for the first time or failed, after `timeoutMs`, or when the signal aborts. */
  async ready({ timeoutMs = LONGEST_WAIT_MS, signal }: ReadyOptions = {}): Promise<Readiness> {
    const { discovery, refresh } = await this.known();
    await refresh.whenKnown(timeoutMs, signal);
    return toReadiness(discovery.starts(), discovery.failed());
  }

  /** The same as `searchTools`, with what tells "no such tool" from "its server is still starting". */
  async search(query: string, options: SearchToolsOptions = {}): Promise<SearchOutcome> {
    const request = toSearchRequest({ query, options });
    const { discovery } = await this.known();
    return toSearchOutcome(await discovery.search({ waitMs: LONGEST_WAIT_MS, ...request }));
  }

  /** The tools that fit best, first. On a first run it waits for servers that have not answered yet: see `waitMs`. */
  async searchTools(query: string, options: SearchToolsOptions = {}): Promise<SearchResult[]> {
    return [...(await this.search(query, options)).results];
  }

  async listTools(server: string, includeDisabled = false): Promise<ToolMetadata[]> {
    const { discovery } = await this.known();
    const { tools } = await discovery.server(server);
    return tools.filter((tool) => includeDisabled || tool.enabled).map(toToolMetadata);
  }

  /** Null when there is no such server or tool. */
  async getToolDetails(server: string, tool: string): Promise<ToolMetadata | null> {
    const { discovery } = await this.known();
    try {
      return toToolMetadata(await discovery.tool(server, tool));
    } catch (error) {
      const { code } = toErrorObject(error).error;
      if (code === "SERVER_NOT_FOUND" || code === "TOOL_NOT_FOUND") return null;
      throw error;
    }
  }

  /** Never throws for what can go wrong with a call: the reason is in the result. */
  async executeTool(
    server: string,
    tool: string,
    args: JsonObject,
    options: ExecuteOptions = {},
  ): Promise<ExecutionResult> {
    const { signal, confirm: ask, ...rest } = options;
    try {
      const { execute } = await this.known();
      const answer = await execute(
        { actor: localActor("library"), server, tool, arguments: args, whole: true, ...rest, ...(ask && { ask }) },
        signal,
      );
      return toExecutionResult(answer, server, tool);
    } catch (error) {
      return toErrorObject(error);
    }
  }

  /** Progress and log messages as they come, then the result. Leaving the loop early cancels the call. */
  executeStream(
    server: string,
    tool: string,
    args: JsonObject,
    options: ExecuteOptions = {},
  ): AsyncIterable<StreamedExecution> {
    return eventStream<StreamedExecution>(async (emit, signal) => {
      const onEvent = (event: CallEvent): void => {
        options.onEvent?.(event);
        emit(event);
      };
      const result = await underSignals([signal, options.signal], (both) =>
        this.executeTool(server, tool, args, { ...options, onEvent, signal: both }),
      );
      emit({ kind: "result", result });
    });
  }

  /** Reads the configuration again. If it is wrong this throws and everything stays as it was. */
  async reload(): Promise<void> {
    await this.#lifecycle.reload();
  }

  /**
   * Reloads by itself whenever a file changes that the configuration is made of, and tells what became of it. Gives a
   * function that does the same at once. For the surfaces. @internal
   */
  watch(onReload: (reload: Reload) => void): () => Promise<void> {
    return this.#lifecycle.watch(onReload);
  }

  /** Applies at once what `watch` would find at its next interval; throws while the files are invalid. @internal */
  async takeOver(): Promise<void> {
    await this.#lifecycle.takeOver();
  }

  /** The listener hears whenever there may be other tools. For the surfaces. @internal */
  onCatalogChange(listener: () => void): void {
    this.#lifecycle.onCatalogChange(listener);
  }

  /** The configuration in force, defaults filled in. */
  async getConfig(): Promise<DiscoveryConfig> {
    return (await this.stages()).config;
  }

  /** Ends every server that was started. The engine is of no use afterwards. */
  async close(): Promise<void> {
    await this.#lifecycle.close();
  }

  /** The stages of the present configuration, before any tool is known. For the surfaces. @internal */
  async stages(): Promise<Stages> {
    return await this.#lifecycle.stages();
  }

  /** The stages with the catalog read from disk and unknown servers being asked. For the surfaces. @internal */
  known(): Promise<Stages> {
    return this.#lifecycle.known();
  }
}
