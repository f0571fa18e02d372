import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

export interface WatchParts {
  /** The files to watch now; they need not exist. */
  readonly files: () => readonly string[];
  /** When the files were last read, in milliseconds since 1970. */
  readonly readAt: () => number;
  /** Called with the changed files after they have settled. Must not reject. */
  readonly onChange: (changed: readonly string[]) => Promise<void>;
  readonly intervalMs?: number;
  /** How long a changed file must stay unchanged before it is reported, because a writer may not be finished. */
  readonly settleMs?: number;
}

export interface Watch {
  /**
   * Records the state of the files; call this right after reading them. The next check compares files that were not
   * watched before with this state.
   */
  mark(): Promise<void>;
  /** Checks the files now instead of at the next interval. Resolves after any changes were reported. */
  look(): Promise<void>;
  stop(): void;
}

const INTERVAL_MS = 1000;
const SETTLE_MS = 100;
/**
 * If a file is missing, wait for this many times `settleMs` without a change, because the file may be about to be
 * replaced.
 */
const GONE_SETTLES = 4;
/** Files that keep changing are reported after this many times `settleMs`. */
const MAX_SETTLES = 8;
/** How far file timestamps may lag behind the system clock. */
const CLOCK_LAG_MS = 20;

/**
 * Checks the files once a second and reports when one was written, replaced or removed, or when the target of a link
 * changes. Reading the status of a few dozen files takes less than a millisecond. Unlike file system events, this works
 * for links, for folders that do not exist yet, and on every file system.
 */
export function startWatch(parts: WatchParts): Watch {
  const { files, readAt, onChange, intervalMs = INTERVAL_MS, settleMs = SETTLE_MS } = parts;
  let known: ReadonlyMap<string, Stamp> = new Map();
  let looking: Promise<void> = Promise.resolve();
  let queued: Promise<void> | undefined;
  const stopped = new AbortController();

  // The timer does not keep the process alive.
  const pause = (ms: number): Promise<void> =>
    sleep(ms, undefined, { ref: false, signal: stopped.signal }).catch(() => undefined);

  /** Runs one check at a time. Calls before the next check starts share that check. */
  const lookNow = (): Promise<void> => {
    queued ??= looking.then(() => {
      queued = undefined;
      return stopped.signal.aborted ? undefined : look();
    });
    looking = queued;
    return queued;
  };

  /** Whether the file has changed since the last check, or since it was read if this is the first check. */
  const isChanged = (path: string, now: Stamp): boolean => {
    const before = known.get(path);
    return before === undefined ? now.changedAt >= readAt() - CLOCK_LAG_MS : before.text !== now.text;
  };

  async function look(): Promise<void> {
    let now = await stampsOf(files());
    const changed = [...now].filter(([path, stamp]) => isChanged(path, stamp));
    if (changed.length > 0) {
      const settles = changed.some(([, { text }]) => text === "") ? GONE_SETTLES : 1;
      for (let still = 0, tries = 0; still < settles && tries < MAX_SETTLES && !stopped.signal.aborted; tries++) {
        await pause(settleMs);
        const again = await stampsOf(files());
        still = isSame(now, again) ? still + 1 : 0;
        now = again;
      }
    }
    known = now;
    if (changed.length > 0 && !stopped.signal.aborted) await onChange(changed.map(([path]) => path));
  }

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      await lookNow();
      await pause(intervalMs);
    }
  }

  void run();
  return {
    async mark() {
      const now = await stampsOf(files());
      // Omit files that changed after they were read, so that the next check reports them.
      known = new Map([...[...now].filter(([path, stamp]) => !isChanged(path, stamp)), ...known]);
    },
    look: lookNow,
    stop: () => stopped.abort(),
  };
}

/** The identity, size and times of a file. `text` is empty if the file does not exist. */
interface Stamp {
  readonly text: string;
  readonly changedAt: number;
}

const NOTHING: Stamp = { text: "", changedAt: -Infinity };

async function stampsOf(files: readonly string[]): Promise<Map<string, Stamp>> {
  const paths = [...new Set(files)];
  const stamps = await Promise.all(paths.map(stampOf));
  return new Map(paths.map((path, index) => [path, stamps[index] ?? NOTHING]));
}

async function stampOf(path: string): Promise<Stamp> {
  try {
    // `stat` follows links: if a link gets another target, the inode differs.
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = await stat(path, { bigint: true });
    return { text: `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`, changedAt: Number(ctimeMs) };
  } catch {
    return NOTHING;
  }
}

function isSame(before: ReadonlyMap<string, Stamp>, after: ReadonlyMap<string, Stamp>): boolean {
  return before.size === after.size && [...after].every(([path, { text }]) => before.get(path)?.text === text);
}
