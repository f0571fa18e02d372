// The gateway as an object: what embedding programs and the surfaces can ask of it. It decides nothing itself.
import { homedir } from "node:os";
import { join } from "node:path";
import { auditFiles, createAuditLog } from "./audit/audit-log.js";
import { fingerprintOf } from "./catalog/record.js";
import { compose, type Foundation, type Place, type Stages } from "./compose.js";
import type { DiscoveryConfig } from "./config/define.js";
import { type LoadedConfig, loadConfig, parseConfig } from "./config/load.js";
import { createValidation } from "./executor/validation.js";
import { describeServer, type ServerSummary } from "./metatools/describe-server.js";
import { type SearchResult, type ToolMetadata, toSearchResult, toToolMetadata } from "./metatools/metadata.js";
import { type ExecutionResult, toExecutionResult } from "./metatools/to-execution-result.js";
import { toErrorObject } from "./metatools/to-error-object.js";
import { localActor } from "./model/actor.js";
import type { CallEvent } from "./model/call.js";
import type { JsonObject } from "./model/json.js";
import { createUpstreams } from "./upstreams/pool.js";
import { eventStream } from "./util/event-stream.js";
import { VERSION } from "./version.js";

export interface EngineOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The folder for catalog and audit. Default: `ANYGPT_HOME`, else `~/.anygpt`. */
  readonly stateFolder?: string;
  readonly log?: (message: string) => void;
  /** Where the configuration comes from, at first and on `reload()`, in place of the constructor's. @internal */
  readonly load?: () => Promise<LoadedConfig>;
}

export interface SearchToolsOptions {
  readonly server?: string;
  readonly limit?: number;
  readonly includeDisabled?: boolean;
}

export interface ExecuteOptions {
  /** Longest silence in milliseconds. */
  readonly timeoutMs?: number;
  readonly onEvent?: (event: CallEvent) => void;
  readonly signal?: AbortSignal;
}

/** What `executeStream` gives: events as they come, then the result. */
export type StreamedExecution = CallEvent | { readonly kind: "result"; readonly result: ExecutionResult };

/** A gateway over the servers of one configuration. No server is started before it is needed; `close()` ends them all. */
export class DiscoveryEngine {
  readonly #place: Place;
  readonly #load: () => Promise<LoadedConfig>;
  #foundation: Foundation | undefined;
  #stages: Promise<Stages> | undefined;
  #known: Promise<Stages> | undefined;

  constructor(config: DiscoveryConfig = {}, options: EngineOptions = {}) {
    const given = parseConfig(config);
    this.#place = toPlace(options);
    this.#load = options.load ?? (() => Promise.resolve({ config: given, baseDir: this.#place.cwd, notices: [] }));
  }

  async listServers(): Promise<ServerSummary[]> {
    const { discovery } = await this.known();
    return discovery.servers().map((server) => describeServer(server, this.#upstreams().state(server.definition.name)));
  }

  async searchTools(query: string, options: SearchToolsOptions = {}): Promise<SearchResult[]> {
    const { discovery } = await this.known();
    return (await discovery.search({ ...options, query })).hits.map(toSearchResult);
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
    const { signal, ...rest } = options;
    try {
      const { execute } = await this.known();
      const answer = await execute(
        { actor: localActor("library"), server, tool, arguments: args, whole: true, ...rest },
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
      const both = options.signal === undefined ? signal : AbortSignal.any([signal, options.signal]);
      emit({
        kind: "result",
        result: await this.executeTool(server, tool, args, { ...options, onEvent, signal: both }),
      });
    });
  }

  /** Reads the configuration again. If it is wrong this throws and everything stays as it was. */
  async reload(): Promise<void> {
    const before = await this.stages();
    const after = await this.#compose(await this.#load());
    this.#stages = Promise.resolve(after);
    this.#known = undefined;
    before.refresh.close();
    const kept = new Map(after.collected.servers.map((server) => [server.name, fingerprintOf(server.connection)]));
    const gone = before.collected.servers.filter(
      (server) => kept.get(server.name) !== fingerprintOf(server.connection),
    );
    // Calls in flight finish on the old connections, however long they take; the reload does not wait for them.
    for (const server of gone) void this.#upstreams().drop(server.name);
    await this.known();
  }

  /** The configuration in force, defaults filled in. */
  async getConfig(): Promise<DiscoveryConfig> {
    return (await this.stages()).config;
  }

  async close(): Promise<void> {
    const stages = await this.#stages?.catch(() => undefined);
    stages?.refresh.close();
    await this.#foundation?.upstreams.close();
    await this.#foundation?.validation.close();
    await this.#foundation?.audit?.close();
  }

  /** The stages of the present configuration, before any tool is known. For the surfaces. @internal */
  async stages(): Promise<Stages> {
    this.#stages ??= this.#load().then((loaded) => this.#compose(loaded));
    return await this.#stages;
  }

  /** The stages with the catalog read from disk and unknown servers being asked. For the surfaces. @internal */
  async known(): Promise<Stages> {
    this.#known ??= this.stages().then(async (stages) => {
      await stages.load();
      stages.refresh.start();
      return stages;
    });
    return await this.#known;
  }

  #upstreams() {
    return (this.#foundation as Foundation).upstreams;
  }

  async #compose(loaded: LoadedConfig): Promise<Stages> {
    const { config } = loaded;
    const place = this.#place;
    this.#foundation ??= {
      upstreams: createUpstreams({
        options: config.upstreams,
        env: place.env,
        now: place.now,
        random: Math.random,
        version: VERSION,
        log: place.log,
        onListChanged: (server) =>
          void this.#stages?.then(({ refresh }) => refresh.changed(server)).catch(() => undefined),
      }),
      validation: createValidation(),
      audit: config.audit.enabled ? createAuditLog(auditFiles(place.stateFolder, config.audit.file)) : undefined,
    };
    return await compose({ loaded, place, foundation: this.#foundation });
  }
}

function toPlace({ cwd = process.cwd(), env = process.env, stateFolder, log = () => undefined }: EngineOptions): Place {
  const home = env["HOME"] ?? env["USERPROFILE"] ?? homedir();
  return {
    cwd,
    env,
    home,
    stateFolder: stateFolder ?? env["ANYGPT_HOME"] ?? join(home, ".anygpt"),
    now: Date.now,
    log,
  };
}

/** An engine on the configuration found on this machine, or on the given file. */
export function openEngine({
  configPath,
  ...options
}: EngineOptions & { readonly configPath?: string } = {}): DiscoveryEngine {
  const { cwd, env, home, stateFolder } = toPlace(options);
  const load = () =>
    loadConfig({ cwd, env, home, anygptHome: stateFolder, ...(configPath === undefined ? {} : { path: configPath }) });
  return new DiscoveryEngine({}, { ...options, load });
}
