// The public API for programs. It translates between programs and the stages and contains no decisions.
import type { DiscoveryConfig, MCPServerConfig } from "./config/discovery-config.js";
import { checkGivenConfig, givenConfig, parseConfig } from "./config/load.js";
import { toValidationResult, type ValidationResult } from "./config/validation-result.js";
import { type AddedServers, createAddedServers } from "./gateway/added-servers.js";
import type {
  ConnectOptions,
  EngineOptions,
  ExecuteOptions,
  OpenOptions,
  ReadyOptions,
  SearchToolsOptions,
  StreamedExecution,
  ToolArguments,
} from "./gateway/engine-options.js";
import { findConfiguration } from "./gateway/find-configuration.js";
import { Lifecycle, type Reload } from "./gateway/lifecycle.js";
import { toRuntimeEnvironment } from "./gateway/runtime-environment.js";
import type { Stages } from "./gateway/stages.js";
import { describeServer } from "./metatools/describe-server.js";
import { type SearchResult, type ServerSummary, type ToolMetadata, toToolMetadata } from "./metatools/metadata.js";
import { type Readiness, type SearchOutcome, toReadiness, toSearchOutcome } from "./metatools/readiness.js";
import { toSearchRequest } from "./metatools/search-input.js";
import { toErrorObject } from "./metatools/to-error-object.js";
import { type ExecutionResult, toExecutionResult } from "./metatools/to-execution-result.js";
import { toDiscoveryError } from "./errors.js";
import { describeLibraryStep } from "./model/next-steps.js";
import { localActor } from "./model/actor.js";
import type { CallContext, CallEvent } from "./model/call.js";
import { eventStream } from "./util/event-stream.js";
import { withAnySignal } from "./util/with-any-signal.js";

const DEFAULT_WAIT_MS = 60_000;

/**
 * A gateway in front of the servers of one configuration. It starts a server when it first needs it, and stops all of
 * them in `close()`. Except for `executeTool` and `executeStream`, methods reject with a `DiscoveryError`.
 */
export class DiscoveryEngine {
  readonly #lifecycle: Lifecycle;
  readonly #servers: AddedServers;

  /** Starts nothing. Throws `CONFIGURATION_ERROR` with all problems if the configuration is invalid. */
  constructor(config: DiscoveryConfig = {}, options: EngineOptions = {}) {
    const given = parseConfig(config);
    const runtime = toRuntimeEnvironment(options);
    this.#servers = createAddedServers(options.load ?? (() => Promise.resolve(givenConfig(given, runtime.cwd))));
    this.#lifecycle = new Lifecycle(runtime, () => this.#servers.load(), options.observe);
  }

  /** Lists all servers with their status. It does not wait for servers that are still starting. */
  async listServers(): Promise<ServerSummary[]> {
    const { discovery, upstreams } = await this.known();
    const pending = new Set(discovery.pending());
    return discovery.servers().map((server) => {
      const { name } = server.definition;
      return describeServer(server, upstreams.state(name), describeLibraryStep, pending.has(name));
    });
  }

  /** Resolves when the tools of every server are known or the server has failed, at the latest after `timeoutMs`. */
  async ready({ timeoutMs = DEFAULT_WAIT_MS, signal }: ReadyOptions = {}): Promise<Readiness> {
    const { discovery, refresh } = await this.known();
    await refresh.whenKnown(timeoutMs, signal);
    return toReadiness(discovery.starts(), discovery.failed());
  }

  /**
   * Starts a server or opens its connection, and reads its tools, so that the first call does not wait for that. Waits
   * for an installation too. The connection closes after `upstreams.idleMs` without a call; the next call opens it again.
   * With `config`, the server is first added to this engine, or replaces the server of that name, until `close()`.
   */
  async connect(server: string, config?: MCPServerConfig, { signal }: ConnectOptions = {}): Promise<void> {
    if (config !== undefined) await this.#add(server, config);
    const { config: current, discovery, resolveConnection, upstreams } = await this.known();
    const { startTimeoutMs, installTimeoutMs } = current.upstreams;
    const waitMs = Math.max(startTimeoutMs, installTimeoutMs);
    const release = upstreams.expectCall(server);
    try {
      await discovery.server(server, { waitMs, ...(signal && { signal }) });
      await upstreams.open(resolveConnection(server), signal);
    } finally {
      release();
    }
  }

  async #add(server: string, config: MCPServerConfig): Promise<void> {
    const undo = this.#servers.add(server, config);
    try {
      await this.#lifecycle.reload();
    } catch (error) {
      undo();
      throw error;
    }
  }

  /**
   * Closes the connection to a server and stops its process. Resolves when calls in progress have finished and the
   * process has exited. Does nothing if the server is not connected. The next call connects again.
   */
  async disconnect(server: string): Promise<void> {
    await this.#lifecycle.current?.upstreams.drop(server);
  }

  /** Whether a connection to the server is open now. */
  isConnected(server: string): boolean {
    return this.#lifecycle.current?.upstreams.state(server).kind === "open";
  }

  /**
   * Finds the tools that match a query best. An empty `results` means that no tool matches only if `pending` and
   * `failed` are empty too: otherwise the search did not cover the tools of those servers.
   */
  async search(query: string, options: SearchToolsOptions = {}): Promise<SearchOutcome> {
    const request = toSearchRequest({ query, options });
    const { discovery } = await this.known();
    return toSearchOutcome(await discovery.search({ waitMs: DEFAULT_WAIT_MS, ...request }));
  }

  /**
   * Only the `results` of `search`, best match first. An empty list can mean that no tool matches, or that servers are
   * still starting or have failed; use `search` to distinguish these cases.
   */
  async searchTools(query: string, options: SearchToolsOptions = {}): Promise<SearchResult[]> {
    return [...(await this.search(query, options)).results];
  }

  /** Lists the tools of one server, starting it if they are not known. Rejects with `SERVER_NOT_FOUND` for an unknown name. */
  async listTools(server: string, includeDisabled = false): Promise<ToolMetadata[]> {
    const { discovery } = await this.known();
    const { tools } = await discovery.server(server);
    return tools.filter((tool) => includeDisabled || tool.enabled).map(toToolMetadata);
  }

  /** Describes one tool: parameters, input schema, examples. Resolves to `null` if the server or the tool does not exist. */
  async getToolDetails(server: string, tool: string): Promise<ToolMetadata | null> {
    const { discovery } = await this.known();
    try {
      return toToolMetadata(await discovery.tool(server, tool));
    } catch (error) {
      const { code } = toDiscoveryError(error);
      if (code === "SERVER_NOT_FOUND" || code === "TOOL_NOT_FOUND") return null;
      throw error;
    }
  }

  /** Calls a tool. Never rejects: a failure is a result with `success: false` and an `error`. */
  async executeTool(
    server: string,
    tool: string,
    args: ToolArguments,
    options: ExecuteOptions = {},
  ): Promise<ExecutionResult> {
    const { signal, onEvent, confirm: ask, ...rest } = options;
    const context: CallContext = { actor: localActor("library"), signal, onEvent, ask, whole: true };
    try {
      const { execute } = await this.known();
      const answer = await execute({ ...rest, context, server, tool, arguments: args });
      return toExecutionResult(answer, server, tool);
    } catch (error) {
      return toErrorObject(error, describeLibraryStep);
    }
  }

  /** Calls a tool and yields progress and log messages while it runs, then the result. Leaving the loop early cancels the call. */
  executeStream(
    server: string,
    tool: string,
    args: ToolArguments,
    options: ExecuteOptions = {},
  ): AsyncIterable<StreamedExecution> {
    return eventStream<StreamedExecution>(async (emit, signal) => {
      const onEvent = (event: CallEvent): void => {
        options.onEvent?.(event);
        emit(event);
      };
      const result = await withAnySignal([signal, options.signal], (both) =>
        this.executeTool(server, tool, args, { ...options, onEvent, signal: both }),
      );
      emit({ kind: "result", result });
    });
  }

  /**
   * Checks a configuration without using it. Without an argument it checks what `reload()` would read. Problems are in the
   * result; it starts no server.
   */
  async validate(config?: unknown): Promise<ValidationResult> {
    return await toValidationResult(() => (config === undefined ? this.#servers.load() : checkGivenConfig(config)));
  }

  /** Reads the configuration again and applies it. If it is invalid, this rejects and the previous one stays active. */
  async reload(): Promise<void> {
    await this.#lifecycle.reload();
  }

  /**
   * Reloads when a file of the configuration changes, and reports the outcome. Returns a function that
   * reloads at once. For the surfaces. @internal
   */
  watch(onReload: (reload: Reload) => void): () => Promise<void> {
    return this.#lifecycle.watch(onReload);
  }

  /** Applies changes of the watched files at once instead of at the next interval of `watch`; throws while the files are invalid. @internal */
  async applyFileChanges(): Promise<void> {
    await this.#lifecycle.applyFileChanges();
  }

  /** Calls the listener when the set of tools may have changed. For the surfaces. @internal */
  onCatalogChange(listener: () => void): void {
    this.#lifecycle.onCatalogChange(listener);
  }

  /** The current configuration, with defaults filled in. */
  async getConfig(): Promise<DiscoveryConfig> {
    return (await this.stages()).config;
  }

  /** Stops every server that was started and releases all files. Afterwards calls and searches fail with `INVALID_REQUEST`. */
  async close(): Promise<void> {
    await this.#lifecycle.close();
  }

  /** The stages of the current configuration; the catalog may not be loaded yet. For the surfaces. @internal */
  async stages(): Promise<Stages> {
    return await this.#lifecycle.stages();
  }

  /** The stages after the catalog was read from disk and the listing of unknown servers was started. For the surfaces. @internal */
  known(): Promise<Stages> {
    return this.#lifecycle.known();
  }
}

/** Creates an engine for the configuration file that the command line would use, or for `configPath`. It reads the file on first use. */
export function openEngine(given: OpenOptions = {}): DiscoveryEngine {
  const { configPath: _configPath, startedBy: _startedBy, ...options } = given;
  return new DiscoveryEngine({}, { ...options, load: () => findConfiguration(given) });
}
