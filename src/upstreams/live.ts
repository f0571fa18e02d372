import type { UpstreamOptions } from "./options.js";
import type { Schedule } from "./schedule.js";
import type { Session } from "./session.js";

export interface LiveParts {
  readonly session: Session;
  readonly since: number;
  readonly options: Pick<UpstreamOptions, "idleMs">;
  /** After so many uses a session that wears is to be replaced by another. */
  readonly mostUses?: number | undefined;
  readonly schedule: Schedule;
  /** Somebody waits for what the server may say by itself. */
  readonly isWatched: () => boolean;
  /** It is not only for a list any more. */
  readonly onKept: () => void;
  /** It is ending now, for whatever reason. */
  readonly onEnding: (live: Live) => void;
}

/** What a session has left behind by then is some megabytes. */
const MOST_USES = 100_000;

/** An open session and who uses it: it ends when nobody has wanted it for a while. */
export class Live {
  readonly session: Session;
  readonly since: number;
  /** Resolves when nothing of it is left. */
  readonly gone: Promise<void>;
  readonly #parts: LiveParts;
  #markGone: () => void = () => undefined;
  #stopIdling: () => void = () => undefined;
  #inFlight = 0;
  #uses = 0;
  #kept = false;
  #retired = false;

  constructor(parts: LiveParts) {
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

  get isWorn(): boolean {
    return this.session.wears === true && this.#uses >= (this.#parts.mostUses ?? MOST_USES);
  }

  /** Calls want it kept for more; a list does not. */
  keep(): void {
    if (this.#kept) return;
    this.#kept = true;
    this.session.watchList();
    this.#parts.onKept();
  }

  async use<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    this.#stopIdling();
    this.#inFlight += 1;
    this.#uses += 1;
    try {
      return await work(this.session);
    } finally {
      this.#inFlight -= 1;
      this.rest();
    }
  }

  /** Ends it with its last call. */
  retire(): void {
    this.#retired = true;
    this.rest();
  }

  /** Decides what becomes of it if nobody uses it. */
  rest(): void {
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
