// The stages over time: composed when first needed, replaced as a whole by a reload, ended once.
import { type Books, type OpenBooks, openBooks } from "./books.js";
import { compose, type Foundation, type Stages } from "./compose.js";
import type { LoadedConfig } from "./config/load.js";
import type { Config } from "./config/options.js";
import { startWatch, type Watch } from "./config/watch.js";
import { DiscoveryError, toDiscoveryError } from "./errors.js";
import { createKeptResults } from "./executor/kept-results.js";
import { createRepeats } from "./executor/repeats.js";
import { createValidation } from "./executor/validation.js";
import { type ObserveOptions, type Observers, openObservers } from "./observing/observers.js";
import { installsFolder, type Place } from "./place.js";
import { areForeign, type Difference, differenceOf, isAsBefore, isNothing, lateOptions, NOTHING } from "./reload.js";
import { storeFile } from "./store/create-store.js";
import { createSignInsOnDemand } from "./sign-ins.js";
import { identityOf } from "./upstreams/identity.js";
import type { OwnTool } from "./upstreams/own-tool.js";
import { createUpstreams } from "./upstreams/pool.js";
import { logFolder } from "./upstreams/process/stderr-log.js";
import type { Upstreams } from "./upstreams/types.js";
import { VERSION } from "./version.js";

/** What became of a reload. */
export type Reload =
  | { readonly kind: "done"; readonly difference: Difference }
  /** Everything stays as it was. */
  | { readonly kind: "failed"; readonly reason: DiscoveryError };

export class Lifecycle {
  readonly #place: Place;
  readonly #load: () => Promise<LoadedConfig>;
  readonly #observe: ObserveOptions;
  readonly #books = new Map<string, OpenBooks>();
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

  constructor(place: Place, load: () => Promise<LoadedConfig>, observe: ObserveOptions = {}) {
    this.#place = place;
    this.#observe = observe;
    this.#load = () => {
      this.#readAt = place.now();
      return load();
    };
  }

  /** The stages of the present configuration, before any tool is known. */
  async stages(): Promise<Stages> {
    if (this.#isClosed) throw closed();
    this.#stages ??= this.#first();
    return await this.#stages.catch((error: unknown) => {
      // What was wrong may be mended by the next time.
      this.#stages = undefined;
      throw error;
    });
  }

  async #first(): Promise<Stages> {
    const first = await this.#compose(await this.#load());
    this.#lacking = (await identitiesOf(first)).lacking;
    this.#current = first;
    void this.#watch?.mark();
    return this.#current;
  }

  /** The same with the catalog read from disk and unknown servers being asked. */
  async known(): Promise<Stages> {
    const stages = await this.stages();
    const known = this.#known.get(stages) ?? this.#learn(stages);
    this.#known.set(stages, known);
    await known;
    return stages;
  }

  async #learn(stages: Stages): Promise<void> {
    await stages.load();
    if (this.#current !== stages || this.#isClosed) return;
    stages.refresh.start();
    for (const books of this.#books.values()) {
      books.recover().catch((error: unknown) => this.#place.log(toDiscoveryError(error).message));
    }
  }

  /** One after the other; a configuration that is wrong changes nothing. `changed`: the files that it is about, if not all. */
  async reload(changed?: readonly string[]): Promise<Difference> {
    const mine = this.#reloading.catch(() => undefined).then(() => this.#replace(changed));
    this.#reloading = mine;
    try {
      const difference = await mine;
      this.#failure = undefined;
      return difference;
    } catch (error) {
      this.#failure = toDiscoveryError(error);
      throw error;
    }
  }

  /** Reloads whenever a file changes that makes a difference, until the engine is closed; gives what does it at once. */
  watch(onReload: (reload: Reload) => void): () => Promise<void> {
    const reload = async (changed?: readonly string[]): Promise<void> => {
      if (this.#isClosed) return;
      const isForeign = this.#isForeign(changed);
      const outcome = await this.#outcome(changed);
      if (!isForeign || outcome.kind === "failed" || !isNothing(outcome.difference)) onReload(outcome);
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
   * Applies changes of the watched files that the next interval of `watch` would find. Throws while the files are
   * invalid: unlike a running gateway, a command must not use a configuration that the user has replaced.
   */
  async takeOver(): Promise<void> {
    await this.stages();
    await this.#watch?.look();
    if (this.#failure !== undefined) await this.reload();
  }

  /** The listener hears whenever there may be other tools, until the engine is closed. */
  onCatalogChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  #catalogChanged(): void {
    for (const listener of this.#listeners) listener();
  }

  #isForeign(changed: readonly string[] | undefined): boolean {
    return changed !== undefined && this.#current !== undefined && areForeign(changed, this.#current);
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
    await this.#foundation?.observers?.close();
    for (const books of this.#books.values()) await books.close();
  }

  async #replace(changed?: readonly string[]): Promise<Difference> {
    const before = await this.stages();
    const after = await this.#compose(await this.#load(), before);
    if (this.#isForeign(changed) && isAsBefore(before, after)) return NOTHING;
    await after.load();
    const { complete, lacking } = await identitiesOf(after);
    const known = new Set(before.notices());
    const news = after.notices().filter((notice) => !known.has(notice));
    if (this.#isClosed) throw closed();
    // From here to the end of adopt nothing waits: whoever asks sees all of the old or all of the new.
    this.#current = after;
    void this.#watch?.mark();
    this.#stages = Promise.resolve(after);
    this.#known.set(after, Promise.resolve());
    before.refresh.stop();
    // Calls in flight finish on the old connections, however long they take; the reload does not wait for them.
    const dropped = after.upstreams.adopt({ options: after.config.upstreams, identities: complete });
    this.#catalogChanged();
    const beforeLacking = this.#lacking;
    this.#lacking = lacking;
    after.refresh.start();
    for (const notice of [...lateOptions(before.config, after.config), ...news]) this.#place.log(notice);
    // One that lacks the same as before was never open.
    const isSame = (name: string): boolean => lacking.has(name) && lacking.get(name) === beforeLacking.get(name);
    return differenceOf(
      before,
      after,
      dropped.filter((name) => !isSame(name)),
    );
  }

  async #compose(loaded: LoadedConfig, previous?: Stages): Promise<Stages> {
    const { config } = loaded;
    this.#foundation ??= this.#lay(
      config,
      await openObservers(this.#place, this.#observe, config.observability.traces),
    );
    const parts = { loaded, books: this.#booksOf(config), place: this.#place, foundation: this.#foundation };
    return await compose(previous === undefined ? parts : { ...parts, previous });
  }

  #lay(config: Config, observers: Observers | undefined): Foundation {
    const { env, elapsed, log, secrets, stateFolder } = this.#place;
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
        logFolder: logFolder(this.#place.stateFolder),
        // Few have a REST API, and those who have one read its document rarely.
        convertDocument: async (text, connection) =>
          (await import("./adapters/convert-in-thread.js")).convertInThread(text, connection),
        signIn: createSignInsOnDemand(
          this.#place,
          () => this.#booksOf(this.#current?.config ?? config).store.credentials,
        ),
        ownTools: () => this.#openOwnTools(config),
        onListChanged: (server) => void this.#refreshAgain(server),
      }),
      validation: createValidation(),
      kept: createKeptResults(config.execution.keepResultsMs, elapsed),
      repeats: createRepeats(elapsed),
      indexers: new Map(),
      observers,
      current: () => this.#current,
      catalogChanged: () => this.#catalogChanged(),
      failure: () => this.#failure,
    };
  }

  /** What an agent asks by an address of its own goes through connections of its own, with no sign-in of anybody's. */
  async #openOwnTools(config: Config): Promise<readonly OwnTool[]> {
    const { env, elapsed, log, stateFolder } = this.#place;
    const { openOwnTools } = await import("./own-server.js");
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
    return await openOwnTools(() => this.#current ?? throwClosed(), openUpstreams);
  }

  async #refreshAgain(server: string): Promise<void> {
    await this.#current?.refresh.changed(server).catch(() => undefined);
  }

  /** One set of books per file, however often the configuration changes. */
  #booksOf(config: Config): Books {
    const file = config.store ?? storeFile(this.#place.stateFolder);
    const books = this.#books.get(file) ?? openBooks(file, this.#place);
    this.#books.set(file, books);
    return books.with(config.audit);
  }
}

interface Identities {
  /** What each server is with its variables replaced. */
  readonly complete: ReadonlyMap<string, string>;
  /** Of those that cannot be: what they are as they are written, and which variables they lack. */
  readonly lacking: ReadonlyMap<string, string>;
}

async function identitiesOf({ collected, target }: Stages): Promise<Identities> {
  const complete = new Map<string, string>();
  const lacking = new Map<string, string>();
  for (const { name, connection } of collected.servers) {
    try {
      complete.set(name, target(name).identity());
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
  return new DiscoveryError("INVALID_REQUEST", "The engine has been closed.", { hint: "Open a new one." });
}
