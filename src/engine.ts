// The public API for programs that embed the gateway. It only translates calls; the components in `Stages` make all
// decisions.
import type { DiscoveryConfig, MCPServerConfig } from "./config/discovery-config.js";
import { checkGivenConfig, givenConfig, parseConfig } from "./config/load.js";
import { toValidationResult, type ValidationResult } from "./config/validation-result.js";
import { type AddedServers, createAddedServers } from "./gateway/added-servers.js";
import type {
  ConnectOptions,
  EngineOptions,
  ExecuteOptions,
  ListToolsOptions,
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
import { findToolMetadata, listToolMetadata } from "./metatools/find-metadata.js";
import type { SearchResult, ServerSummary, ToolMetadata } from "./metatools/metadata.js";
import { type Readiness, type SearchOutcome, toReadiness, toSearchOutcome } from "./metatools/readiness.js";
import { toSearchRequest } from "./metatools/search-input.js";
import { toErrorObject } from "./metatools/to-error-object.js";
import { type ExecutionResult, toExecutionResult } from "./metatools/to-execution-result.js";
import { describeLibraryReading, describeLibraryStep } from "./model/next-steps.js";
import { localActor } from "./model/actor.js";
import type { CallContext, CallEvent } from "./model/call.js";
import { eventStream } from "./util/event-stream.js";
import { withAnySignal } from "./util/with-any-signal.js";

const DEFAULT_WAIT_MS = 60_000;

/**
 * A gateway in front of the servers of one configuration. It starts each server when the server is first needed, and
 * stops all servers in `close()`. Methods reject with a `DiscoveryError`, except `executeTool` and `executeStream`.
 */
export class DiscoveryEngine {
  readonly #lifecycle: Lifecycle;
  readonly #servers: AddedServers;

  /** Starts no server. Throws `CONFIGURATION_ERROR` with all problems if the configuration is invalid. */
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

  /**
   * Waits until no server is still starting: for each server, either its tools are known or it has failed. Resolves
   * with the current state, at the latest after `timeoutMs`.
   */
  async ready({ timeoutMs = DEFAULT_WAIT_MS, signal }: ReadyOptions = {}): Promise<Readiness> {
    const { discovery, refresh } = await this.known();
    await refresh.whenKnown(timeoutMs, signal);
    return toReadiness(discovery.starts(), discovery.failed());
  }

  /**
   * Connects to a server (starts its process if it is local) and requests its tool list, so that the first call does
   * not have to wait. If the server's package must be installed first, waits for that too. The connection closes after
   * `upstreams.idleMs` without a call; the next call opens it again. With `config`, the server is first added to this
   * engine, or replaces the server of that name, until `close()`.
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

  /** Finds the tools that match a query best. The tools of servers in `pending` and `failed` were not searched. */
  async search(query: string, options: SearchToolsOptions = {}): Promise<SearchOutcome> {
    const request = toSearchRequest({ query, options });
    const { discovery } = await this.known();
    return toSearchOutcome(
      await discovery.search({ waitMs: DEFAULT_WAIT_MS, context: { actor: localActor("library") }, ...request }),
    );
  }

  /**
   * Only the `results` of `search`, best match first. An empty list can mean that no tool matches, or that servers are
   * still starting or have failed; use `search` to distinguish these cases.
   */
  async searchTools(query: string, options: SearchToolsOptions = {}): Promise<SearchResult[]> {
    return [...(await this.search(query, options)).results];
  }

  /**
   * Lists the tools of one server, and starts it if they are not known. An unknown name is `SERVER_NOT_FOUND`. With a
   * `query`, lists only the tools that contain all its words; if none does, the closest tools.
   */
  async listTools(server: string, options: boolean | ListToolsOptions = {}): Promise<ToolMetadata[]> {
    const { discovery } = await this.known();
    return await listToolMetadata(discovery, server, options);
  }

  /** Describes one tool (parameters, schema, examples). Resolves to `null` if the server or the tool does not exist. */
  async getToolDetails(server: string, tool: string): Promise<ToolMetadata | null> {
    const { discovery } = await this.known();
    return await findToolMetadata(discovery, server, tool);
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
      const call = { ...rest, context, server, tool, arguments: args, describeReading: describeLibraryReading };
      const answer = await execute(call);
      return toExecutionResult(answer, server, tool);
    } catch (error) {
      return toErrorObject(error, describeLibraryStep);
    }
  }

  /**
   * Calls a tool and yields progress and log messages while the tool runs, then the result. Leaving the `for await`
   * loop early cancels the call.
   */
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
   * Checks a configuration without applying it and without starting servers. Without an argument, checks the
   * configuration that `reload()` would read. Problems are reported in the result, not thrown.
   */
  async validate(config?: unknown): Promise<ValidationResult> {
    return await toValidationResult(() => (config === undefined ? this.#servers.load() : checkGivenConfig(config)));
  }

  /** Reads the configuration again and applies it. If it is invalid, this rejects and the previous one stays active. */
  async reload(): Promise<void> {
    await this.#lifecycle.reload();
  }

  /** Reloads whenever a configuration file changes. Returns a function that reloads immediately. @internal */
  watch(onReload: (reload: Reload) => void): () => Promise<void> {
    return this.#lifecycle.watch(onReload);
  }

  /** Checks the watched files now, and reloads if they changed. Throws while the files are invalid. @internal */
  async applyFileChanges(): Promise<void> {
    await this.#lifecycle.applyFileChanges();
  }

  /** Calls the listener when the set of tools may have changed. @internal */
  onCatalogChange(listener: () => void): void {
    this.#lifecycle.onCatalogChange(listener);
  }

  /** Resolves to the current configuration, with defaults filled in. */
  async getConfig(): Promise<DiscoveryConfig> {
    return (await this.stages()).config;
  }

  /** Stops all servers and closes all files. Afterwards calls and searches fail with `INVALID_REQUEST`. */
  async close(): Promise<void> {
    await this.#lifecycle.close();
  }

  /** Resolves to the components of the current configuration. The catalog may not be loaded yet. @internal */
  async stages(): Promise<Stages> {
    return await this.#lifecycle.stages();
  }

  /** Like `stages()`, but loads the catalog first and starts to request the tool lists that are missing. @internal */
  known(): Promise<Stages> {
    return this.#lifecycle.known();
  }
}

/**
 * Creates an engine for `configPath`, or else for the configuration file that the CLI would use. The engine reads the
 * file on first use.
 */
export function openEngine(given: OpenOptions = {}): DiscoveryEngine {
  const { configPath: _configPath, startedBy: _startedBy, ...options } = given;
  return new DiscoveryEngine({}, { ...options, load: () => findConfiguration(given) });
}
