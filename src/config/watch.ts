import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

export interface WatchParts {
  /** The files to watch now; they need not exist. */
  readonly files: () => readonly string[];
  /** The time of day when the files were last read. */
  readonly readAt: () => number;
  /** Reads the files again; receives the changed ones. Never rejects. */
  readonly onChange: (changed: readonly string[]) => Promise<void>;
  readonly intervalMs?: number;
  /** How long a changed file must stay unchanged before it is reported, because a writer may not be finished. */
  readonly settleMs?: number;
}

export interface Watch {
  /** Call this right after reading the files: later checks compare with their state at this time. */
  mark(): Promise<void>;
  /** Checks the files now instead of at the next interval. Resolves after a found change was reported. */
  look(): Promise<void>;
  stop(): void;
}

const INTERVAL_MS = 1000;
const SETTLE_MS = 100;
/** A missing file may be about to be replaced, so wait for this many intervals without a change. */
const GONE_SETTLES = 4;
/** A file that changes constantly is reported after this many intervals. */
const MAX_SETTLES = 8;
/** File timestamps lag behind the system clock by a few milliseconds. */
const CLOCK_LAG_MS = 20;

/**
 * Checks the files once a second and reports when one was written, replaced or removed, or when the target of a link changes.
 * Reading the status of a few dozen files takes less than a millisecond. Unlike file system events, it works for links, for
 * folders that do not exist yet, and on every file system.
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

  /** One check at a time. Callers that arrive before the next check starts share it. */
  const lookNow = (): Promise<void> => {
    queued ??= looking.then(() => {
      queued = undefined;
      return stopped.signal.aborted ? undefined : look();
    });
    looking = queued;
    return queued;
  };

  /** A file that is checked for the first time may have changed since it was read. */
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
      // A file that changed after it was read is reported by the next check.
      known = new Map([...[...now].filter(([path, stamp]) => !isChanged(path, stamp)), ...known]);
    },
    look: lookNow,
    stop: () => stopped.abort(),
  };
}

/** The identity and times of a file; the text is empty if the file does not exist. */
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
    // stat follows links: if the link is changed, the inode differs.
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = await stat(path, { bigint: true });
    return { text: `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`, changedAt: Number(ctimeMs) };
  } catch {
    return NOTHING;
  }
}

function isSame(before: ReadonlyMap<string, Stamp>, after: ReadonlyMap<string, Stamp>): boolean {
  return before.size === after.size && [...after].every(([path, { text }]) => before.get(path)?.text === text);
}
