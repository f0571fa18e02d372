// The progress of servers that have not answered yet: which ones are worth waiting for, and which ones hang.

/** `queued`: it will be listed when an earlier server has answered or failed. */
export type StartPhase = "queued" | "installing" | "starting";

/** A server that has never answered and is being listed, or is queued. */
export interface PendingServer {
  readonly name: string;
  readonly phase: StartPhase;
  /** Milliseconds since the request was sent. */
  readonly forMs: number;
  /** Whether an answer can be expected soon. */
  readonly isProgressing: boolean;
}

export interface ServerStartsParts {
  /** Whether the server's process used or waited for a processor since the last call; undefined if the platform cannot report it. */
  readonly isProcessActive: (server: string) => boolean | undefined;
  /** Whether the server's command is still installing its package. */
  readonly isInstalling: (server: string) => boolean;
  /** A monotonic clock in milliseconds. */
  readonly elapsed: () => number;
}

export interface Starts {
  /** Whether the process was active since the last call, or in the last 50 ms; undefined if the platform cannot report it. */
  isActive(server: string): boolean | undefined;
  /** The progress of a server that was contacted at `requestedAt`; undefined means that it is queued. */
  progressOf(name: string, requestedAt: number | undefined): PendingServer;
  /** Discards the samples of an earlier process. */
  forget(server: string): void;
}

/** A server that starts normally answers within this time, or uses a processor. */
const START_GRACE_MS = 10_000;
/** A process that waits for the network may be idle for this long. */
const IDLE_MS = 3_000;
/** The maximum wait for a server that is busy and does not answer. */
const MAX_START_MS = 60_000;
const SAMPLE_MS = 50;

interface Sample {
  readonly at: number;
  readonly isActive: boolean | undefined;
  readonly activeAt: number;
}

export function createStarts({ isProcessActive, isInstalling, elapsed }: ServerStartsParts): Starts {
  const samples = new Map<string, Sample>();

  // Reading the activity of a process resets it, so all callers share one sample for a short time.
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
  /** An installation may take long while it is active. If its activity is unknown, it gets one minute. */
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

/** `installing 12 s`; a start that has just begun shows no time. */
export function describePhase({ phase, forMs }: Pick<PendingServer, "phase" | "forMs">): string {
  const seconds = Math.floor(forMs / 1000);
  return phase === "queued" || seconds === 0 ? phase : `${phase} ${seconds} s`;
}

/** `has been installing for 12 s` */
export function describeProgress({ phase, forMs }: Pick<PendingServer, "phase" | "forMs">): string {
  const seconds = Math.floor(forMs / 1000);
  if (phase === "queued") return "waits for other servers to start";
  return seconds === 0 ? `is ${phase}` : `has been ${phase} for ${seconds} s`;
}

/** `Still starting: github (installing 12 s), jira.` */
export function describePending(pending: readonly Pick<PendingServer, "name" | "phase" | "forMs">[]): string {
  const named = pending.slice(0, MAX_NAMED).map((one) => {
    const isPlain = one.phase !== "installing";
    return isPlain ? one.name : `${one.name} (${describePhase(one)})`;
  });
  const more = pending.length - named.length;
  return `Still starting: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}

const MAX_NAMED = 10;
