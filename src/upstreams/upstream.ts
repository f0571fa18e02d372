// One server's connection over time: started when needed, shared, closed when idle, tried again with patience.
import { DiscoveryError } from "../errors.js";
import type { CallResult } from "../model/call.js";
import type { Connection, ServerListing } from "../model/server.js";
import { createSecrets, type Secrets } from "../util/secrets.js";
import { lendingPeer } from "./asking-back/lending-peer.js";
import { type Beside, createBeside, type Work } from "./beside.js";
import { type Breaker, createBreaker } from "./breaker.js";
import { createLimiter, type Limiter } from "./limiter.js";
import { createListChanges, type ListChanges } from "./list-changes.js";
import { identityOf } from "./identity.js";
import type { InstallStatus } from "./install/installations.js";
import { Live } from "./live.js";
import { createOpenOther, type OpenOther } from "./open-other.js";
import { createOwnership, type Ownership } from "./oauth/ownership.js";
import { openStderrLog } from "./process/stderr-log.js";
import { createStderrRing, type StderrRing } from "./process/stderr-ring.js";
import { createStirring, type Stirring } from "./process/stirring.js";
import { isUntouched } from "./failures.js";
import { givenTo } from "./given-to.js";
import type { Session } from "./session.js";
import { closing, pausing, stillStarting, toReason, tooSlow } from "./start-errors.js";
import { type AwaitedStart, waitForStart } from "./await-start.js";
import { startClock } from "./start-limit.js";
import type { UpstreamCall, UpstreamState, UpstreamTarget } from "./types.js";
import type { UpstreamParts } from "./upstream-parts.js";

interface Start extends AwaitedStart<Live> {
  readonly controller: AbortController;
  readonly since: number;
  keep: boolean;
}

type SentWork<Result> = Work<Result> & {
  readonly beforeSend?: UpstreamCall["beforeSend"] | undefined;
  readonly actorId?: string | undefined;
};

interface Want {
  readonly keep: boolean;
  readonly waitMs: number;
}

export class Upstream {
  /** What the server has beside tools. */
  readonly beside: Beside;
  readonly #parts: UpstreamParts;
  readonly #breaker: Breaker;
  readonly #limiter: Limiter;
  readonly #changes: ListChanges;
  readonly #leaving = new Set<Promise<void>>();
  readonly #lives = new Set<Live>();
  #current: Live | undefined;
  #starting: Start | undefined;
  readonly #known: Secrets;
  #secrets: Secrets;
  #stderr: StderrRing | undefined;
  #install: InstallStatus | undefined;
  #misconfigured: DiscoveryError | undefined;
  #closed = false;
  #users = 0;
  #retired: (() => void) | undefined;
  /** What it was last opened as; undefined when that was never known. */
  identity: string | undefined;
  readonly #openOther: OpenOther;
  readonly #ownership: Ownership;
  readonly #stirring: Stirring;

  constructor(parts: UpstreamParts) {
    const { server, options, now, random, schedule } = parts;
    this.#parts = parts;
    this.#known = parts.secrets ?? createSecrets();
    this.#secrets = this.#known;
    this.#breaker = createBreaker(random);
    this.#ownership = createOwnership(server, parts.signIn);
    this.#stirring = createStirring(parts.reaper);
    this.#limiter = createLimiter({
      server,
      schedule,
      get concurrency() {
        return options.concurrency;
      },
      get queue() {
        return options.queue;
      },
      get queueWaitMs() {
        return options.queueWaitMs;
      },
    });
    this.#changes = createListChanges({ now, schedule, onChange: () => parts.onListChanged?.(server) });
    this.#openOther = createOpenOther(parts);
    this.beside = createBeside({
      ...parts,
      session: () => this.#current?.session,
      use: (target, work, signal) => this.#use(() => this.#work(target, work, signal)),
    });
  }

  async call(target: UpstreamTarget, call: UpstreamCall, signal?: AbortSignal): Promise<CallResult> {
    return await this.#use(() => this.#call(target, call, signal));
  }

  async list(target: UpstreamTarget, signal?: AbortSignal): Promise<ServerListing> {
    return await this.#use(() => this.#list(target, signal));
  }

  async #use<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#users += 1;
    try {
      return await work();
    } catch (error) {
      throw error instanceof DiscoveryError ? this.#secrets.redactError(error) : error;
    } finally {
      this.#users -= 1;
      if (this.#users === 0) this.#retired?.();
    }
  }

  async #call(target: UpstreamTarget, call: UpstreamCall, signal?: AbortSignal): Promise<CallResult> {
    const { timeoutMs, startWaitMs, beforeSend, actorId, peer } = call;
    const run: Work<CallResult>["run"] = (session, lend) =>
      session.callTool(peer === undefined ? call : { ...call, peer: lendingPeer(peer, lend) }, signal);
    return await this.#work(target, { run, timeoutMs, startWaitMs, beforeSend, actorId }, signal);
  }

  async #work<Result>(target: UpstreamTarget, work: SentWork<Result>, signal?: AbortSignal): Promise<Result> {
    const { startWaitMs } = this.#parts.options;
    const want = { keep: true, waitMs: work.startWaitMs ?? Math.min(startWaitMs, work.timeoutMs) };
    await this.#ready(target, want, signal);
    const place = await this.#limiter.acquire(work.actorId, signal);
    const run = (session: Session): Promise<Result> => work.run(session, place.lend);
    try {
      let live = await this.#ready(target, want, signal);
      const ready = work.beforeSend?.();
      if (ready !== undefined) await ready;
      if (live.session.closed) live = await this.#ready(target, want, signal); // Lost while it was recorded.
      try {
        return await live.use(run);
      } catch (error) {
        // The session was lost before the call was looked at, as when a server forgot it in a restart: once more.
        if (!(live.session.closed && isUntouched(error))) throw this.#reason(error);
        const fresh = await this.#ready(target, want, signal);
        return await fresh.use(run);
      }
    } finally {
      place.release();
    }
  }

  async #list(target: UpstreamTarget, signal?: AbortSignal): Promise<ServerListing> {
    const { options } = this.#parts;
    const live = await this.#ready(
      target,
      { keep: false, waitMs: Math.max(options.startTimeoutMs, options.installTimeoutMs) },
      signal,
    );
    return live.use((session) => session.listTools(signal));
  }

  readonly rest = (): void => this.#current?.rest();
  readonly isStirring = (): boolean | undefined => this.#stirring.isStirring();

  state(): UpstreamState {
    if (this.#current !== undefined) {
      const { since, inFlight, session } = this.#current;
      return { kind: "open", since, inFlight, waiting: this.#limiter.waiting, era: session.era };
    }
    if (this.#starting !== undefined) {
      const { since, waiting } = this.#starting;
      return { kind: "starting", since, waiting, ...(this.#isInstalling() ? { isInstalling: true } : {}) };
    }
    if (this.#misconfigured !== undefined)
      return { kind: "failed", reason: this.#misconfigured, retryAt: this.#parts.now() };
    const failure = this.#breaker.last;
    return failure === undefined
      ? { kind: "closed" }
      : { kind: "failed", reason: failure.reason, retryAt: failure.retryAt };
  }

  /** Somebody is in it, or something of it is left. */
  get isBusy(): boolean {
    return this.#users > 0 || this.#lives.size > 0 || this.#leaving.size > 0;
  }

  stderr(): readonly string[] {
    this.#install?.readOutput();
    return this.#stderr?.lines() ?? [];
  }

  /** No new calls will come: it ends with the last of those that are in it. Resolves when nothing of it is left. */
  async retire(): Promise<void> {
    this.#changes.stop();
    this.beside.stop();
    if (this.#users > 0) await new Promise<void>((resolve) => (this.#retired = resolve));
    await this.close();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#changes.stop();
    this.beside.stop();
    this.#starting?.controller.abort(closing(this.#parts.server));
    for (const live of this.#lives) live.end();
    while (this.#leaving.size > 0) await Promise.all(this.#leaving);
  }

  async #ready(target: UpstreamTarget, want: Want, signal?: AbortSignal): Promise<Live> {
    if (this.#closed) throw closing(this.#parts.server);
    this.#ownership.assertMine(target);
    if (want.keep && this.#current?.isWorn === true) this.#renew(this.#current);
    if (this.#current !== undefined) {
      if (want.keep) this.#current.keep();
      return this.#current;
    }
    const start = this.#starting ?? this.#begin(target);
    start.keep ||= want.keep;
    const live = await this.#waitFor(start, want.waitMs, signal);
    this.#ownership.assertMine(target);
    return live;
  }

  /** It ends with the calls that are in it. */
  #replace(live: Live): void {
    this.#current = undefined;
    live.retire();
  }

  /** What the server says before another connection listens is missed. */
  #renew(live: Live): void {
    this.#replace(live);
    this.#changes.notify();
    for (const offers of ["prompts", "resources"] as const) this.beside.heard({ kind: "changed", offers });
  }

  #begin(target: UpstreamTarget): Start {
    const { now, server } = this.#parts;
    const pause = this.#breaker.pause(now());
    if (pause !== undefined) throw pausing(pause, now());
    this.#misconfigured = undefined;
    const controller = new AbortController();
    const start: Start = {
      controller,
      since: now(),
      keep: false,
      waiting: 0,
      promise: this.#open(target, controller),
    };
    this.#starting = start;
    start.promise.then((live) => this.#opened(start, live)).catch((error: unknown) => this.#notOpened(start, error));
    this.#changed();
    this.#parts.log(`Starting ${server}.`);
    return start;
  }

  async #open(target: UpstreamTarget, controller: AbortController): Promise<Live> {
    const { server, options, schedule, now } = this.#parts;
    this.#install = undefined;
    const connection = await target.connection((value) => this.#known.note(value));
    this.identity = target.identity?.() ?? identityOf(connection);
    this.#secrets = this.#known.with(givenTo(connection));
    this.#stderr = createStderrRing(this.#secrets.redact, openStderrLog(this.#parts, connection, this.#secrets));
    const onLate = (limitMs: number): void =>
      controller.abort(tooSlow(server, limitMs, this.stderr(), this.#isInstalling()));
    const stopClock = startClock({ connection, options, schedule, now, onLate, status: () => this.#install });
    try {
      return await this.#openSession(connection, target, controller.signal);
    } finally {
      stopClock();
    }
  }

  async #openSession(connection: Connection, target: UpstreamTarget, signal: AbortSignal): Promise<Live> {
    if (connection.kind === "built-in" || connection.kind === "rest")
      return this.#toLive(await this.#openOther(connection, this.#secrets));
    const { server, version, options, env } = this.#parts;
    const stderr = this.#stderr ?? createStderrRing(this.#secrets.redact);
    // The SDK takes long to load, and searches and lists from disk never need it.
    const { openSession } = await import("./connect.js");
    const opened: { session?: Session } = {};
    const signIn = await this.#ownership.signIn(connection, target);
    const session = await openSession(
      connection,
      {
        server,
        version: version ?? "0.0.0",
        options,
        env,
        ...(target.eraHint === undefined ? {} : { eraHint: target.eraHint }),
        stderr,
        secrets: this.#secrets,
        reaper: this.#stirring.reaper,
        installations: this.#parts.installations,
        onInstalling: (status) => (this.#install = status),
        signIn,
        peers: this.#parts.peers(),
        onListChanged: () => this.#announced(),
        onNotice: (notice) => this.beside.heard(notice),
        onLost: (reason) => this.#lost(opened.session, reason),
        onLeaving: (gone) => this.#wait(gone),
      },
      signal,
    );
    opened.session = session;
    return this.#toLive(session);
  }

  /**
   * Some servers announce a change after every handshake. On a connection that was opened for a list alone that would mean
   * to open another one, and so on; the list has just been read anyway.
   */
  #announced(): void {
    if (this.#current?.kept ?? this.#starting?.keep) this.#changes.notify();
  }

  #opened(start: Start, live: Live): void {
    if (this.#starting !== start || this.#closed || live.session.closed) {
      if (this.#starting === start) this.#starting = undefined;
      live.end();
      return;
    }
    this.#starting = undefined;
    this.#current = live;
    this.#breaker.succeeded();
    if (start.keep) live.keep();
    // Whoever waits takes it right after this.
    if (start.waiting === 0) live.rest();
    this.#changed();
  }

  #notOpened(start: Start, error: unknown): void {
    if (this.#starting !== start) return;
    this.#starting = undefined;
    const { now } = this.#parts;
    const reason = this.#reason(error);
    // What the configuration or a sign-in lacks is not the server's failure: the next call looks again at once.
    if (reason.code === "CONFIGURATION_ERROR" || "signIn" in reason.facts) this.#misconfigured = reason;
    else this.#breaker.startFailed(reason, now());
    this.#changed();
  }

  #lost(session: Session | undefined, reason: DiscoveryError): void {
    const live = this.#current;
    if (live === undefined || live.session !== session) return;
    this.#replace(live);
    // A crash after a success may be tried again at once.
    const told = this.#reason(reason);
    this.#breaker.crashed(told, this.#parts.now());
    this.#parts.log(told.message);
    this.#changed();
  }

  #waitFor(start: Start, waitMs: number, signal?: AbortSignal): Promise<Live> {
    const { server, now } = this.#parts;
    const toStillStarting = (): DiscoveryError => stillStarting(server, this.state(), now());
    const toReason = (error: unknown): DiscoveryError => this.#reason(error);
    return waitForStart(start, { ...this.#parts, waitMs, signal, toStillStarting, toReason });
  }

  /** Whatever went wrong, told without the values that the server was given. */
  #reason(error: unknown): DiscoveryError {
    return this.#secrets.redactError(toReason(error, this.#parts.server));
  }

  #toLive(session: Session): Live {
    const { options, schedule, now, mostUses } = this.#parts;
    const onEnding = (live: Live): void => {
      this.#lives.delete(live);
      this.#wait(live.gone);
      if (this.#current !== live) return;
      this.#current = undefined;
      this.#changed();
    };
    const isWatched = (): boolean => this.#parts.watches.uris.length > 0 || this.#parts.isExpected();
    const onKept = (): void => this.beside.opened(session);
    const live = new Live({ session, since: now(), options, mostUses, schedule, isWatched, onKept, onEnding });
    this.#lives.add(live);
    return live;
  }

  #wait(gone: Promise<void>): void {
    this.#leaving.add(gone);
    void gone.finally(() => this.#leaving.delete(gone));
  }

  #isInstalling(): boolean {
    return this.#install?.isInstalling() ?? false;
  }

  #changed(): void {
    this.#parts.onStateChange?.(this.#parts.server);
  }
}
