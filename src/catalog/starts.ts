// How far servers are that have not answered for the first time: who is worth waiting for, and who hangs.

/** `queued`: it will be asked when one of the servers before it has answered or failed. */
export type StartPhase = "queued" | "installing" | "starting";

/** A server that has never answered and is being asked, or will be. */
export interface PendingServer {
  readonly name: string;
  readonly phase: StartPhase;
  /** Milliseconds since it was asked. */
  readonly forMs: number;
  /** Whether its answer may come soon. */
  readonly isProgressing: boolean;
}

export interface StartParts {
  /** Whether the server's process has had or wanted a processor since this was last asked; undefined where that cannot be told. */
  readonly isStirring: (server: string) => boolean | undefined;
  /** Whether the server's command is still installing its package. */
  readonly isInstalling: (server: string) => boolean;
  /** Milliseconds that only ever grow. */
  readonly elapsed: () => number;
}

export interface Starts {
  /** Whether the process has been active since this was last asked, or in the last 50 ms; undefined where that cannot be told. */
  isActive(server: string): boolean | undefined;
  /** How far a server is that was asked at `askedAt`; undefined: it waits for its turn. */
  look(name: string, askedAt: number | undefined): PendingServer;
  /** Forgets what was seen of an earlier process. */
  forget(server: string): void;
}

/** A server that starts answers within this time, or uses a processor. */
const YOUNG_MS = 10_000;
/** A process that waits for the network may be idle for a moment. */
const IDLE_MS = 3_000;
/** Nobody waits longer for a server that is busy and does not answer. */
const LONGEST_MS = 60_000;
const SAMPLE_MS = 50;

interface Sample {
  readonly at: number;
  readonly isActive: boolean | undefined;
  readonly activeAt: number;
}

export function createStarts({ isStirring, isInstalling, elapsed }: StartParts): Starts {
  const samples = new Map<string, Sample>();

  // To ask about a process resets the answer, so all who want to know share one answer for a moment.
  const sample = (server: string): Sample => {
    const last = samples.get(server);
    const now = elapsed();
    if (last !== undefined && now - last.at < SAMPLE_MS) return last;
    const isActive = isStirring(server);
    const next = { at: now, isActive, activeAt: isActive === true ? now : (last?.activeAt ?? -Infinity) };
    samples.set(server, next);
    return next;
  };
  const hasBeenActive = (server: string): boolean => elapsed() - sample(server).activeAt < IDLE_MS;

  return {
    isActive: (server) => sample(server).isActive,
    look(name, askedAt) {
      if (askedAt === undefined) return { name, phase: "queued", forMs: 0, isProgressing: true };
      const forMs = Math.max(elapsed() - askedAt, 0);
      if (isInstalling(name)) return { name, phase: "installing", forMs, isProgressing: true };
      const isProgressing = forMs < YOUNG_MS || (forMs < LONGEST_MS && hasBeenActive(name));
      return { name, phase: "starting", forMs, isProgressing };
    },
    forget: (server) => void samples.delete(server),
  };
}

/** `installing 12 s`; a start that has just begun has no time. */
export function describePhase({ phase, forMs }: Pick<PendingServer, "phase" | "forMs">): string {
  const seconds = Math.floor(forMs / 1000);
  return phase === "queued" || seconds === 0 ? phase : `${phase} ${seconds} s`;
}

/** `Still starting: github (installing 12 s), jira.` */
export function describePending(pending: readonly Pick<PendingServer, "name" | "phase" | "forMs">[]): string {
  const named = pending.slice(0, MOST_NAMED).map((one) => {
    const isPlain = one.phase !== "installing";
    return isPlain ? one.name : `${one.name} (${describePhase(one)})`;
  });
  const more = pending.length - named.length;
  return `Still starting: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}

const MOST_NAMED = 10;
