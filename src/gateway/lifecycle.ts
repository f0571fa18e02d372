// The lifecycle of the components (`Stages`) that are created for a configuration: created on first use, replaced
// completely by a reload, closed once.
import { createToolUsage } from "../metatools/tool-usage.js";
import { type Persistence, type OpenPersistence, openPersistence } from "./persistence.js";
import { compose } from "./compose.js";
import type { Configured, ConnectionAccess, Foundation, Stages } from "./stages.js";
import type { LoadedConfig } from "../config/load.js";
import type { Config } from "../config/options.js";
import { startWatch, type Watch } from "../config/watch.js";
import { DiscoveryError, toDiscoveryError } from "../errors.js";
import { createStoredResults } from "../executor/stored-results.js";
import { createRepeats } from "../executor/repeats.js";
import { createValidation } from "../executor/validation.js";
import { type ObserveOptions, type Observers, openObservers } from "./observing/observers.js";
import { installsFolder, type RuntimeEnvironment } from "./runtime-environment.js";
import {
  areOfOtherPrograms,
  type Difference,
  differenceOf,
  isUnchanged,
  isEmpty,
  lateOptions,
  NO_DIFFERENCE,
} from "./configuration-difference.js";
import { storeFile } from "../store/create-store.js";
import { createSignInsOnDemand } from "./sign-ins.js";
import { identityOf } from "../upstreams/identity.js";
import type { BuiltInTool } from "../model/built-in.js";
import { createUpstreams } from "../upstreams/pool.js";
import { logFolder } from "../upstreams/process/stderr-log.js";
import type { Upstreams } from "../upstreams/types.js";
import { VERSION } from "../version.js";

/** The outcome of a reload. */
export type Reload =
  | { readonly kind: "done"; readonly difference: Difference }
  /** The reload failed; the previous configuration remains active. */
  | { readonly kind: "failed"; readonly reason: DiscoveryError };

export class Lifecycle {
  readonly #runtime: RuntimeEnvironment;
  readonly #load: () => Promise<LoadedConfig>;
  readonly #observe: ObserveOptions;
  readonly #persistence = new Map<string, OpenPersistence>();
  #foundation: Foundation | undefined;
  #stages: Promise<Stages> | undefined;
  #current: Stages | undefined;
  readonly #known = new WeakMap<Stages, Promise<void>>();
  #reloading: Promise<unknown> = Promise.resolve();
  #failure: DiscoveryError | undefined;
  #lacking: ReadonlyMap<string, string> = new Map();
  #readAt = 0;
  #watch: Watch | undefined;
  readonly #listeners = new Set<() => void>();
  #isClosed = false;

  constructor(runtime: RuntimeEnvironment, load: () => Promise<LoadedConfig>, observe: ObserveOptions = {}) {
    this.#runtime = runtime;
    this.#observe = observe;
    this.#load = () => {
      this.#readAt = runtime.now();
      return load();
    };
  }

  /** The components of the current configuration; undefined until `stages()` has created the first ones. */
  get current(): Stages | undefined {
    return this.#current;
  }

  /**
   * Resolves to the components of the current configuration, and creates them on first use. The catalog may not be
   * loaded yet.
   */
  async stages(): Promise<Stages> {
    if (this.#isClosed) throw closed();
    this.#stages ??= this.#composeFirst();
    return await this.#stages.catch((error: unknown) => {
      // Do not cache the error: the user may correct the configuration before the next call.
      this.#stages = undefined;
      throw error;
    });
  }

  async #composeFirst(): Promise<Stages> {
    const first = await this.#compose(await this.#load());
    this.#lacking = (await identitiesOf(first)).lacking;
    this.#current = first;
    void this.#watch?.mark();
    return this.#current;
  }

  /**
   * Like `stages()`, but first loads the catalog from disk and starts to request the tool lists of servers whose tools
   * are not known.
   */
  async known(): Promise<Stages> {
    const stages = await this.stages();
    const known = this.#known.get(stages) ?? this.#loadCatalog(stages);
    this.#known.set(stages, known);
    await known;
    return stages;
  }

  async #loadCatalog(stages: Stages): Promise<void> {
    await stages.load();
    if (this.#current !== stages || this.#isClosed) return;
    stages.refresh.start();
    for (const persistence of this.#persistence.values()) {
      persistence.recover().catch((error: unknown) => this.#runtime.log(toDiscoveryError(error).message));
    }
  }

  /**
   * Reloads the configuration. Concurrent reloads run one after the other. If the configuration is invalid, throws and
   * changes nothing. `changed`: paths of the files that changed, if known.
   */
  async reload(changed?: readonly string[]): Promise<Difference> {
    const reloading = this.#reloading.catch(() => undefined).then(() => this.#replace(changed));
    this.#reloading = reloading;
    try {
      const difference = await reloading;
      this.#failure = undefined;
      return difference;
    } catch (error) {
      this.#failure = toDiscoveryError(error);
      throw error;
    }
  }

  /** Reloads whenever a watched file changes, until the engine is closed. Returns a function that reloads at once. */
  watch(onReload: (reload: Reload) => void): () => Promise<void> {
    const reload = async (changed?: readonly string[]): Promise<void> => {
      if (this.#isClosed) return;
      const isForeign = this.#isForeign(changed);
      const outcome = await this.#outcome(changed);
      if (!isForeign || outcome.kind === "failed" || !isEmpty(outcome.difference)) onReload(outcome);
    };
    this.#watch?.stop();
    this.#watch = startWatch({
      files: () => this.#current?.watched ?? [],
      readAt: () => this.#readAt,
      onChange: reload,
    });
    return () => reload();
  }

  /**
   * Checks the watched files now instead of at the next interval of `watch`, and reloads if they changed. Throws while
   * the files are invalid: unlike a running gateway, a CLI command must not use the outdated configuration.
   */
  async applyFileChanges(): Promise<void> {
    await this.stages();
    await this.#watch?.look();
    if (this.#failure !== undefined) await this.reload();
  }

  /** Calls the listener whenever the set of tools may have changed, until the engine is closed. */
  onCatalogChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  #catalogChanged(): void {
    for (const listener of this.#listeners) listener();
  }

  #isForeign(changed: readonly string[] | undefined): boolean {
    return changed !== undefined && this.#current !== undefined && areOfOtherPrograms(changed, this.#current);
  }

  async #outcome(changed: readonly string[] | undefined): Promise<Reload> {
    try {
      return { kind: "done", difference: await this.reload(changed) };
    } catch (error) {
      return { kind: "failed", reason: toDiscoveryError(error) };
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watch?.stop();
    const stages = await this.#stages?.catch(() => undefined);
    await stages?.refresh.close();
    await this.#foundation?.upstreams.close();
    await this.#foundation?.validation.close();
    this.#foundation?.storedResults.close();
    await this.#foundation?.observers?.close();
    for (const persistence of this.#persistence.values()) await persistence.close();
  }

  async #replace(changed?: readonly string[]): Promise<Difference> {
    const before = await this.stages();
    const after = await this.#compose(await this.#load(), before);
    if (this.#isForeign(changed) && isUnchanged(before, after)) return NO_DIFFERENCE;
    await after.load();
    const { complete, lacking } = await identitiesOf(after);
    const known = new Set(before.notices());
    const newNotices = after.notices().filter((notice) => !known.has(notice));
    if (this.#isClosed) throw closed();
    // No await from here until `adopt` returns: callers see either the old or the new components, never a mixture.
    this.#current = after;
    void this.#watch?.mark();
    this.#stages = Promise.resolve(after);
    this.#known.set(after, Promise.resolve());
    before.refresh.stop();
    // Calls in progress finish on the old connections; the reload does not wait for them.
    const dropped = after.upstreams.adopt({ options: after.config.upstreams, identities: complete });
    this.#catalogChanged();
    const beforeLacking = this.#lacking;
    this.#lacking = lacking;
    after.refresh.start();
    for (const notice of [...lateOptions(before.config, after.config), ...newNotices]) this.#runtime.log(notice);
    // A server with the same missing variables as before the reload had no open connection, so it does not count as
    // changed although it is in `dropped`.
    const isSame = (name: string): boolean => lacking.has(name) && lacking.get(name) === beforeLacking.get(name);
    return differenceOf(
      before,
      after,
      dropped.filter((name) => !isSame(name)),
    );
  }

  async #compose(loaded: LoadedConfig, previous?: Stages): Promise<Stages> {
    const { config } = loaded;
    this.#foundation ??= this.#createFoundation(
      config,
      await openObservers(this.#runtime, this.#observe, config.observability.traces),
    );
    const parts = {
      loaded,
      persistence: this.#persistenceOf(config),
      runtime: this.#runtime,
      foundation: this.#foundation,
    };
    return await compose(previous === undefined ? parts : { ...parts, previous });
  }

  #createFoundation(config: Config, observers: Observers | undefined): Foundation {
    const { env, now, elapsed, log, secrets, stateFolder } = this.#runtime;
    const currentConfig = (): Config => this.#current?.config ?? config;
    return {
      upstreams: createUpstreams({
        options: config.upstreams,
        env,
        installsFolder: installsFolder(stateFolder),
        now: elapsed,
        random: Math.random,
        version: VERSION,
        log,
        secrets,
        logFolder: logFolder(this.#runtime.stateFolder),
        // The converter for OpenAPI documents is imported on demand, because few configurations have a REST API.
        convertDocument: async (text, connection) =>
          (await import("../adapters/convert-in-thread.js")).convertInThread(text, connection),
        signIn: createSignInsOnDemand(this.#runtime, () => this.#persistenceOf(currentConfig()).store.credentials),
        builtInTools: () => this.#openBuiltInTools(config),
        onListChanged: (server) => void this.#refreshServer(server),
      }),
      validation: createValidation(),
      storedResults: createStoredResults({
        records: () => this.#persistenceOf(currentConfig()).store.results,
        encryption: () => this.#persistenceOf(currentConfig()).encryption(),
        options: () => currentConfig().results,
        now,
        log,
      }),
      repeats: createRepeats(elapsed),
      indexers: new Map(),
      toolUsage: createToolUsage(),
      observers,
      current: () => this.#current,
      catalogChanged: () => this.#catalogChanged(),
      failure: () => this.#failure,
    };
  }

  /**
   * Creates the built-in tools. Their requests to URLs that agents pass use separate server connections without the
   * user's credentials.
   */
  async #openBuiltInTools(config: Config): Promise<readonly BuiltInTool[]> {
    const { env, elapsed, log, stateFolder } = this.#runtime;
    const { openBuiltInTools } = await import("./built-in-tools.js");
    const openUpstreams = (): Upstreams =>
      createUpstreams({
        options: this.#current?.config.upstreams ?? config.upstreams,
        env,
        installsFolder: installsFolder(stateFolder),
        now: elapsed,
        random: Math.random,
        version: VERSION,
        log,
      });
    return await openBuiltInTools(() => this.#current ?? throwClosed(), openUpstreams);
  }

  async #refreshServer(server: string): Promise<void> {
    await this.#current?.refresh.changed(server).catch(() => undefined);
  }

  /** Opens each store file once, even if the configuration changes often. */
  #persistenceOf(config: Config): Persistence {
    const file = config.store ?? storeFile(this.#runtime.stateFolder);
    const persistence = this.#persistence.get(file) ?? openPersistence(file, this.#runtime);
    this.#persistence.set(file, persistence);
    return persistence.with(config.audit);
  }
}

interface Identities {
  /** By server name: the identity of the connection with its variables replaced. */
  readonly complete: ReadonlyMap<string, string>;
  /**
   * By server name, only for servers with missing variables: the identity of the unresolved connection and the names of
   * the missing variables.
   */
  readonly lacking: ReadonlyMap<string, string>;
}

async function identitiesOf({
  configuredServers,
  resolveConnection,
}: Configured & ConnectionAccess): Promise<Identities> {
  const complete = new Map<string, string>();
  const lacking = new Map<string, string>();
  for (const { name, connection } of configuredServers.servers) {
    try {
      complete.set(name, resolveConnection(name).identity());
    } catch (error) {
      if (!(error instanceof DiscoveryError)) throw error;
      lacking.set(name, `${identityOf(connection)} ${JSON.stringify(error.facts["variables"] ?? null)}`);
    }
  }
  return { complete, lacking };
}

function throwClosed(): never {
  throw closed();
}

function closed(): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", "The engine has been closed.", { hint: "Create a new engine." });
}
