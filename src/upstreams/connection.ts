import type { UpstreamOptions } from "./options.js";
import type { Schedule } from "./schedule.js";
import type { UpstreamSession } from "./session.js";

export interface UpstreamConnectionParts {
  readonly session: UpstreamSession;
  readonly since: number;
  readonly options: Pick<UpstreamOptions, "idleMs">;
  /** A session that leaks memory is closed and replaced after this many uses. */
  readonly maxUses?: number | undefined;
  readonly schedule: Schedule;
  /** Whether a caller waits for notifications from the server. */
  readonly isWatched: () => boolean;
  /** Called when the connection will be kept open for calls, instead of being closed after a tools/list request. */
  readonly onKept: () => void;
  /** Called when the connection begins to close, for any reason. */
  readonly onEnding: (connection: Connection) => void;
}

/** The default of `maxUses`. A session that leaks memory has leaked some megabytes by then. */
const MAX_USES = 100_000;

/** An open session with a count of its running uses. It closes when it has been idle for `idleMs`. */
export class Connection {
  readonly session: UpstreamSession;
  readonly since: number;
  /** Resolves when the connection is completely closed. */
  readonly gone: Promise<void>;
  readonly #parts: UpstreamConnectionParts;
  #markGone: () => void = () => undefined;
  #stopIdling: () => void = () => undefined;
  #inFlight = 0;
  #uses = 0;
  #kept = false;
  #retired = false;

  constructor(parts: UpstreamConnectionParts) {
    this.#parts = parts;
    this.session = parts.session;
    this.since = parts.since;
    this.gone = new Promise((resolve) => {
      this.#markGone = resolve;
    });
    this.#idle();
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get kept(): boolean {
    return this.#kept;
  }

  get needsRecycling(): boolean {
    return this.session.leaks === true && this.#uses >= (this.#parts.maxUses ?? MAX_USES);
  }

  /** Keeps the connection open after the current use. Calls need that; a tools/list request does not. */
  keep(): void {
    if (this.#kept) return;
    this.#kept = true;
    this.session.watchList();
    this.#parts.onKept();
  }

  async use<Result>(work: (session: UpstreamSession) => Promise<Result>): Promise<Result> {
    this.#stopIdling();
    this.#inFlight += 1;
    this.#uses += 1;
    try {
      return await work(this.session);
    } finally {
      this.#inFlight -= 1;
      this.closeOrIdle();
    }
  }

  /** Closes the connection after its last running call. */
  retire(): void {
    this.#retired = true;
    this.closeOrIdle();
  }

  /** Closes the connection or starts its idle timer. Does nothing while a call is running. */
  closeOrIdle(): void {
    if (this.#inFlight > 0) return;
    if (this.#retired || !(this.#kept || this.#parts.isWatched())) this.end();
    else this.#idle();
  }

  end(): void {
    this.#stopIdling();
    this.#retired = true;
    this.#parts.onEnding(this);
    this.session
      .close()
      .catch(() => undefined)
      .finally(this.#markGone);
  }

  #idle(): void {
    this.#stopIdling();
    this.#stopIdling = this.#parts.schedule(this.#parts.options.idleMs, () =>
      this.#parts.isWatched() ? this.#idle() : this.end(),
    );
  }
}
