// The progress of servers that have not answered yet: which ones are worth waiting for, and which ones hang.

/** `queued`: the tool list is not requested yet, because the maximum number of concurrent requests is reached. */
export type StartPhase = "queued" | "installing" | "starting";

/** A server that has never answered and whose tool list is being requested or queued. */
export interface PendingServer {
  readonly name: string;
  readonly phase: StartPhase;
  /** Milliseconds since the tool list was requested; 0 if the request is queued. */
  readonly forMs: number;
  /**
   * Whether it is worth waiting for the server: its request is queued or recent, or its process was active recently. If
   * false, the server hangs.
   */
  readonly isProgressing: boolean;
}

export interface ServerStartsParts {
  /**
   * Whether the server's process used or waited for a processor since the last call of this function for the server;
   * undefined if the platform cannot report it.
   */
  readonly isProcessActive: (server: string) => boolean | undefined;
  /** Whether the server's command is still installing its package. */
  readonly isInstalling: (server: string) => boolean;
  /** A monotonic clock in milliseconds. */
  readonly elapsed: () => number;
}

export interface Starts {
  /**
   * Whether the server's process was active since the last sample; a sample is reused for 50 ms. Undefined if the
   * platform cannot report it.
   */
  isActive(server: string): boolean | undefined;
  /**
   * Returns the progress of a server. `requestedAt`: when its tool list was requested, on the clock `elapsed`;
   * undefined if the request is queued.
   */
  progressOf(name: string, requestedAt: number | undefined): PendingServer;
  /** Discards the activity samples of the server's earlier process. */
  forget(server: string): void;
}

/**
 * For this long after its tool list was requested, a server counts as making progress, even if its process is inactive.
 */
const START_GRACE_MS = 10_000;
/** How long a process may be inactive and still count as making progress: it may be waiting for the network. */
const IDLE_MS = 3_000;
/**
 * This long after its tool list was requested, a server that is not being installed no longer counts as making
 * progress, even if its process is active.
 */
const MAX_START_MS = 60_000;
const SAMPLE_MS = 50;

interface Sample {
  readonly at: number;
  readonly isActive: boolean | undefined;
  readonly activeAt: number;
}

export function createStarts({ isProcessActive, isInstalling, elapsed }: ServerStartsParts): Starts {
  const samples = new Map<string, Sample>();

  // Reading the activity of a process resets it, so all callers share one sample for `SAMPLE_MS`.
  const sample = (server: string): Sample => {
    const last = samples.get(server);
    const now = elapsed();
    if (last !== undefined && now - last.at < SAMPLE_MS) return last;
    const isActive = isProcessActive(server);
    const next = { at: now, isActive, activeAt: isActive === true ? now : (last?.activeAt ?? -Infinity) };
    samples.set(server, next);
    return next;
  };
  const wasActive = (server: string): boolean => elapsed() - sample(server).activeAt < IDLE_MS;
  /**
   * An installation counts as making progress while its process is active; if the activity is unknown, for one minute.
   */
  const isInstallProgressing = (server: string, forMs: number): boolean =>
    sample(server).isActive === undefined ? forMs < MAX_START_MS : wasActive(server);

  return {
    isActive: (server) => sample(server).isActive,
    progressOf(name, requestedAt) {
      if (requestedAt === undefined) return { name, phase: "queued", forMs: 0, isProgressing: true };
      const forMs = Math.max(elapsed() - requestedAt, 0);
      const isAtWork = isInstalling(name) ? isInstallProgressing(name, forMs) : forMs < MAX_START_MS && wasActive(name);
      const phase = isInstalling(name) ? "installing" : "starting";
      return { name, phase, forMs, isProgressing: forMs < START_GRACE_MS || isAtWork };
    },
    forget: (server) => void samples.delete(server),
  };
}

/** Returns for example `installing 12 s`; omits the time during the first second. */
export function describePhase({ phase, forMs }: Pick<PendingServer, "phase" | "forMs">): string {
  const seconds = Math.floor(forMs / 1000);
  return phase === "queued" || seconds === 0 ? phase : `${phase} ${seconds} s`;
}

/** Returns for example `Still starting: github (installing 12 s), jira.` */
export function describePending(pending: readonly Pick<PendingServer, "name" | "phase" | "forMs">[]): string {
  const named = pending.slice(0, MAX_NAMED).map((one) => {
    const isPlain = one.phase !== "installing";
    return isPlain ? one.name : `${one.name} (${describePhase(one)})`;
  });
  const more = pending.length - named.length;
  return `Still starting: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}

const MAX_NAMED = 10;
