// The stages over time: composed when first needed, replaced as a whole by a reload, ended once.
import { type AuditLog, auditFiles, createAuditLog } from "./audit/audit-log.js";
import type { AuditOptions } from "./audit/options.js";
import { fingerprintOf } from "./catalog/record.js";
import { compose, type Foundation, type Stages } from "./compose.js";
import type { LoadedConfig } from "./config/load.js";
import type { Config } from "./config/options.js";
import { DiscoveryError } from "./errors.js";
import { createKeptResults } from "./executor/kept-results.js";
import { createValidation } from "./executor/validation.js";
import type { Place } from "./place.js";
import { createUpstreams } from "./upstreams/pool.js";
import { canonicalJson } from "./util/canonical-json.js";
import { VERSION } from "./version.js";

export class Lifecycle {
  readonly #place: Place;
  readonly #load: () => Promise<LoadedConfig>;
  readonly #audits = new Map<string, AuditLog>();
  #foundation: Foundation | undefined;
  #stages: Promise<Stages> | undefined;
  readonly #known = new WeakMap<Stages, Promise<void>>();
  #reloading: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(place: Place, load: () => Promise<LoadedConfig>) {
    this.#place = place;
    this.#load = load;
  }

  /** The stages of the present configuration, before any tool is known. */
  async stages(): Promise<Stages> {
    if (this.#isClosed) throw closed();
    this.#stages ??= this.#load().then((loaded) => this.#compose(loaded));
    return await this.#stages.catch((error: unknown) => {
      // What was wrong may be mended by the next time.
      this.#stages = undefined;
      throw error;
    });
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
    const isCurrent = (await this.#stages) === stages;
    if (isCurrent && !this.#isClosed) stages.refresh.start();
  }

  /** One after the other; a configuration that is wrong changes nothing. */
  async reload(): Promise<void> {
    const mine = this.#reloading.catch(() => undefined).then(() => this.#replace());
    this.#reloading = mine;
    await mine;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const stages = await this.#stages?.catch(() => undefined);
    stages?.refresh.close();
    await this.#foundation?.upstreams.close();
    await this.#foundation?.validation.close();
    for (const audit of this.#audits.values()) await audit.close();
  }

  async #replace(): Promise<void> {
    const before = await this.stages();
    const after = await this.#compose(await this.#load());
    this.#stages = Promise.resolve(after);
    before.refresh.close();
    const kept = new Map(after.collected.servers.map(({ name, connection }) => [name, fingerprintOf(connection)]));
    for (const { name, connection } of before.collected.servers) {
      // Calls in flight finish on the old connections, however long they take; the reload does not wait for them.
      if (kept.get(name) !== fingerprintOf(connection)) void after.upstreams.drop(name);
    }
    if (canonicalJson(before.config.upstreams) !== canonicalJson(after.config.upstreams)) {
      this.#place.log("The section upstreams has changed; it takes effect at the next start.");
    }
    // Whoever rotates the record moves the file and then asks for this.
    for (const audit of this.#audits.values()) await audit.release();
    await this.known();
  }

  async #compose(loaded: LoadedConfig): Promise<Stages> {
    const { config } = loaded;
    this.#foundation ??= this.#lay(config);
    const audit = config.audit.enabled ? this.#auditOf(config.audit) : undefined;
    return await compose({ loaded, audit, place: this.#place, foundation: this.#foundation });
  }

  #lay(config: Config): Foundation {
    const { env, elapsed, log } = this.#place;
    return {
      upstreams: createUpstreams({
        options: config.upstreams,
        env,
        now: elapsed,
        random: Math.random,
        version: VERSION,
        log,
        onListChanged: (server) => void this.#refreshAgain(server),
      }),
      validation: createValidation(),
      kept: createKeptResults(config.execution.keepResultsMs, elapsed),
    };
  }

  async #refreshAgain(server: string): Promise<void> {
    const stages = await this.#stages?.catch(() => undefined);
    await stages?.refresh.changed(server).catch(() => undefined);
  }

  #auditOf(options: AuditOptions): AuditLog {
    const files = auditFiles(this.#place.stateFolder, options.file);
    const audit = this.#audits.get(files.file) ?? createAuditLog(files);
    this.#audits.set(files.file, audit);
    return audit;
  }
}

function closed(): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", "The engine has been closed.", { hint: "Open a new one." });
}
