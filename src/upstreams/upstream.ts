// The connection to one server over time: opened on demand, shared, closed when idle, reopened with back-off.
import { DiscoveryError } from "../errors.js";
import type { CallResult } from "../model/call.js";
import type { ServerConnection, ServerListing } from "../model/server.js";
import { createSecrets, type Secrets } from "../util/secrets.js";
import {
  type ServerPromptsAndResources,
  createServerPromptsAndResources,
  type ConnectionWork,
} from "./prompts-and-resources.js";
import { type Breaker, createBreaker } from "./breaker.js";
import { createLimiter, type Limiter } from "./limiter.js";
import { createListChanges, type ListChanges } from "./list-changes.js";
import { identityOf } from "./identity.js";
import type { InstallStatus } from "./install/installations.js";
import { Connection } from "./connection.js";
import { createOpenNonMcp, type OpenNonMcp } from "./open-non-mcp.js";
import { createOwnership, type Ownership } from "./oauth/ownership.js";
import { openStderrLog } from "./process/stderr-log.js";
import { createStderrRing, type StderrRing } from "./process/stderr-ring.js";
import { createProcessActivity, type ProcessActivity } from "./process/process-activity.js";
import { isNotSent } from "./failures.js";
import { configuredSecrets } from "./configured-secrets.js";
import type { UpstreamSession } from "./session.js";
import { gatewayClosing, startPaused, stillStarting, toStartReason, startTimedOut } from "./start-errors.js";
import { type AwaitedStart, waitForStart } from "./await-start.js";
import { startClock } from "./start-limit.js";
import type { UpstreamCall, UpstreamState, UpstreamTarget } from "./types.js";
import type { UpstreamParts } from "./upstream-parts.js";

interface Start extends AwaitedStart<Connection> {
  readonly controller: AbortController;
  readonly since: number;
  keep: boolean;
}

type SentWork<Result> = ConnectionWork<Result> & {
  readonly beforeSend?: UpstreamCall["beforeSend"] | undefined;
  readonly actorId?: string | undefined;
};

interface ReadyOptions {
  readonly keep: boolean;
  readonly waitMs: number;
}

export class Upstream {
  readonly promptsAndResources: ServerPromptsAndResources;
  readonly #parts: UpstreamParts;
  readonly #breaker: Breaker;
  readonly #limiter: Limiter;
  readonly #changes: ListChanges;
  readonly #closing = new Set<Promise<void>>();
  readonly #connections = new Set<Connection>();
  #current: Connection | undefined;
  #starting: Start | undefined;
  readonly #known: Secrets;
  #secrets: Secrets;
  #stderr: StderrRing | undefined;
  #install: InstallStatus | undefined;
  #misconfigured: DiscoveryError | undefined;
  #closed = false;
  #users = 0;
  #retired: (() => void) | undefined;
  /** The identity of the connection that was opened last. Undefined if none was opened. */
  identity: string | undefined;
  readonly #openNonMcp: OpenNonMcp;
  readonly #ownership: Ownership;
  readonly #activity: ProcessActivity;

  constructor(parts: UpstreamParts) {
    const { server, options, now, random, schedule } = parts;
    this.#parts = parts;
    this.#known = parts.secrets ?? createSecrets();
    this.#secrets = this.#known;
    this.#breaker = createBreaker(random);
    this.#ownership = createOwnership(server, parts.signIn);
    this.#activity = createProcessActivity(parts.reaper);
    this.#limiter = createLimiter({ server, schedule, options, isShared: () => parts.peers() === "many" });
    this.#changes = createListChanges({ now, schedule, onChange: () => parts.onListChanged?.(server) });
    this.#openNonMcp = createOpenNonMcp(parts);
    this.promptsAndResources = createServerPromptsAndResources({
      ...parts,
      session: () => this.#current?.session,
      use: (target, work, signal) => this.#use(() => this.#work(target, work, signal)),
    });
  }

  call(target: UpstreamTarget, call: UpstreamCall): Promise<CallResult> {
    const { timeoutMs, startWaitMs, beforeSend, context } = call;
    const run: ConnectionWork<CallResult>["run"] = (session, releaseSlot) => session.callTool(call, releaseSlot);
    const work = { run, timeoutMs, startWaitMs, beforeSend, actorId: context.actor.id };
    return this.#use(() => this.#work(target, work, context.signal));
  }

  async list(target: UpstreamTarget, signal?: AbortSignal): Promise<ServerListing> {
    return await this.#use(async () => {
      const connection = await this.#start(target, false, signal);
      return await connection.use((session) => session.listTools(signal));
    });
  }

  async open(target: UpstreamTarget, signal?: AbortSignal): Promise<void> {
    await this.#use(async () => (await this.#start(target, true, signal)).closeOrIdle());
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

  async #work<Result>(target: UpstreamTarget, work: SentWork<Result>, signal?: AbortSignal): Promise<Result> {
    const { startWaitMs } = this.#parts.options;
    const want = { keep: true, waitMs: work.startWaitMs ?? startWaitMs };
    await this.#ready(target, want, signal);
    const slot = await this.#limiter.acquire(work.actorId, signal);
    const run = (session: UpstreamSession): Promise<Result> => work.run(session, slot.lend);
    try {
      let connection = await this.#ready(target, want, signal);
      const ready = work.beforeSend?.();
      if (ready !== undefined) await ready;
      // The connection may have been lost during `beforeSend`.
      if (connection.session.closed) connection = await this.#ready(target, want, signal);
      try {
        return await connection.use(run);
      } catch (error) {
        // The session was lost before the server received the call, for example by a restart: send it once more.
        if (!(connection.session.closed && isNotSent(error))) throw this.#reason(error);
        const fresh = await this.#ready(target, want, signal);
        return await fresh.use(run);
      }
    } finally {
      slot.release();
    }
  }

  #start(target: UpstreamTarget, keep: boolean, signal?: AbortSignal): Promise<Connection> {
    const { startTimeoutMs, installTimeoutMs } = this.#parts.options;
    return this.#ready(target, { keep, waitMs: Math.max(startTimeoutMs, installTimeoutMs) }, signal);
  }

  readonly closeOrIdle = (): void => this.#current?.closeOrIdle();
  readonly isProcessActive = (): boolean | undefined =>
    this.#activity.isActive({ instead: this.#install?.waitsFor(), written: this.#stderr?.written() ?? 0 });

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

  /** Whether calls are running, or connections are open or still closing. */
  get isBusy(): boolean {
    return this.#users > 0 || this.#connections.size > 0 || this.#closing.size > 0;
  }

  stderr(): readonly string[] {
    this.#install?.readOutput();
    return this.#stderr?.lines() ?? [];
  }

  /** Accepts no new calls and closes the connection after the last running call. Resolves when everything is closed. */
  async retire(): Promise<void> {
    this.#changes.stop();
    this.promptsAndResources.stop();
    if (this.#users > 0) await new Promise<void>((resolve) => (this.#retired = resolve));
    await this.close();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#changes.stop();
    this.promptsAndResources.stop();
    this.#starting?.controller.abort(gatewayClosing(this.#parts.server));
    for (const connection of this.#connections) connection.end();
    while (this.#closing.size > 0) await Promise.all(this.#closing);
  }

  async #ready(target: UpstreamTarget, want: ReadyOptions, signal?: AbortSignal): Promise<Connection> {
    if (this.#closed) throw gatewayClosing(this.#parts.server);
    this.#ownership.assertOwner(target);
    if (want.keep && this.#current?.needsRecycling === true) this.#recycle(this.#current);
    if (this.#current !== undefined) {
      if (want.keep) this.#current.keep();
      return this.#current;
    }
    const start = this.#starting ?? this.#begin(target);
    start.keep ||= want.keep;
    const connection = await this.#waitFor(start, want.waitMs, signal);
    this.#ownership.assertOwner(target);
    return connection;
  }

  /** Closes the connection after its running calls. The next call opens another one. */
  #replace(connection: Connection): void {
    this.#current = undefined;
    connection.retire();
  }

  /** Recycles the connection. Reports all lists as changed, because notifications are lost until the next one is open. */
  #recycle(connection: Connection): void {
    this.#replace(connection);
    this.#changes.notify();
    for (const offers of ["prompts", "resources"] as const)
      this.promptsAndResources.handleNotice({ kind: "changed", offers });
  }

  #begin(target: UpstreamTarget): Start {
    const { now, server } = this.#parts;
    const pause = this.#breaker.pause(now());
    if (pause !== undefined) throw startPaused(pause, now());
    this.#misconfigured = undefined;
    const controller = new AbortController();
    const promise = this.#open(target, controller);
    const start: Start = { controller, since: now(), keep: false, waiting: 0, promise };
    this.#starting = start;
    promise
      .then((connection) => this.#opened(start, connection))
      .catch((error: unknown) => this.#notOpened(start, error));
    this.#changed();
    this.#parts.log(`Starting ${server}.`);
    return start;
  }

  async #open(target: UpstreamTarget, controller: AbortController): Promise<Connection> {
    const { server, options, schedule, now } = this.#parts;
    this.#install = undefined;
    const connection = await target.connection((value) => this.#known.note(value));
    this.identity = target.identity?.() ?? identityOf(connection);
    this.#secrets = this.#known.with(configuredSecrets(connection));
    this.#stderr = createStderrRing(this.#secrets.redact, openStderrLog(this.#parts, connection, this.#secrets));
    const onTimeout = (limitMs: number): void =>
      controller.abort(startTimedOut(server, limitMs, this.stderr(), this.#isInstalling()));
    const stopClock = startClock({ connection, options, schedule, now, onTimeout, status: () => this.#install });
    try {
      return await this.#openSession(connection, target, controller.signal);
    } finally {
      stopClock();
    }
  }

  async #openSession(connection: ServerConnection, target: UpstreamTarget, signal: AbortSignal): Promise<Connection> {
    if (connection.kind === "built-in" || connection.kind === "rest")
      return this.#toConnection(await this.#openNonMcp(connection, this.#secrets));
    const { server, version, options, env } = this.#parts;
    const stderr = this.#stderr ?? createStderrRing(this.#secrets.redact);
    // Loaded on demand: the SDK takes long to load, and searches and cached lists do not need it.
    const { openSession } = await import("./connect.js");
    const opened: { session?: UpstreamSession } = {};
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
        reaper: this.#activity.reaper,
        installations: this.#parts.installations,
        monitor: this.#parts.monitor,
        onInstalling: (status) => (this.#install = status),
        signIn,
        peers: this.#parts.peers(),
        onListChanged: () => this.#announced(),
        onNotice: (notice) => this.promptsAndResources.handleNotice(notice),
        onLost: (reason) => this.#lost(opened.session, reason),
        onClosing: (closed) => this.#trackClosing(closed),
      },
      signal,
    );
    opened.session = session;
    return this.#toConnection(session);
  }

  /**
   * Reports a changed tool list, except on a connection that was opened only to request the list: some servers announce
   * a change after every handshake, so that each list request would cause another one.
   */
  #announced(): void {
    if (this.#current?.kept ?? this.#starting?.keep) this.#changes.notify();
  }

  #opened(start: Start, connection: Connection): void {
    if (this.#starting !== start || this.#closed || connection.session.closed) {
      if (this.#starting === start) this.#starting = undefined;
      return connection.end();
    }
    this.#starting = undefined;
    this.#current = connection;
    this.#breaker.succeeded();
    if (start.keep) connection.keep();
    // A waiting caller uses the connection immediately afterwards, so the connection must not be closed here.
    if (start.waiting === 0) connection.closeOrIdle();
    this.#changed();
  }

  #notOpened(start: Start, error: unknown): void {
    if (this.#starting !== start) return;
    this.#starting = undefined;
    const reason = this.#reason(error);
    // A missing configuration value or sign-in is not a failure of the server: the next call tries again immediately.
    if (reason.code === "CONFIGURATION_ERROR" || "signIn" in reason.facts) this.#misconfigured = reason;
    else this.#breaker.startFailed(reason, this.#parts.now());
    this.#changed();
  }

  #lost(session: UpstreamSession | undefined, reason: DiscoveryError): void {
    const connection = this.#current;
    if (connection === undefined || connection.session !== session) return;
    this.#replace(connection);
    const shown = this.#reason(reason);
    this.#breaker.crashed(shown, this.#parts.now());
    this.#parts.log(shown.message);
    this.#changed();
  }

  #waitFor(start: Start, waitMs: number, signal?: AbortSignal): Promise<Connection> {
    const { server, now } = this.#parts;
    const toStillStarting = (): DiscoveryError => stillStarting(server, this.state(), now());
    const toReason = (error: unknown): DiscoveryError => this.#reason(error);
    return waitForStart(start, { ...this.#parts, waitMs, signal, toStillStarting, toReason });
  }

  /** Converts any failure into an error in which the server's secrets are redacted. */
  #reason(error: unknown): DiscoveryError {
    return this.#secrets.redactError(toStartReason(error, this.#parts.server));
  }

  #toConnection(session: UpstreamSession): Connection {
    const { options, schedule, now, maxUses } = this.#parts;
    const onEnding = (connection: Connection): void => {
      this.#connections.delete(connection);
      this.#trackClosing(connection.gone);
      if (this.#current !== connection) return;
      this.#current = undefined;
      this.#changed();
    };
    const isWatched = (): boolean => this.#parts.watches.uris.length > 0 || this.#parts.isExpected();
    const onKept = (): void => this.promptsAndResources.opened(session);
    const connection = new Connection({
      session,
      since: now(),
      options,
      maxUses,
      schedule,
      isWatched,
      onKept,
      onEnding,
    });
    this.#connections.add(connection);
    return connection;
  }

  #trackClosing(closed: Promise<void>): void {
    this.#closing.add(closed);
    void closed.finally(() => this.#closing.delete(closed));
  }

  #isInstalling(): boolean {
    return this.#install?.isInstalling() ?? false;
  }

  #changed(): void {
    this.#parts.onStateChange?.(this.#parts.server);
  }
}
