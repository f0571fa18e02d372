import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

export interface WatchParts {
  /** The files that make a difference now; they need not exist. */
  readonly files: () => readonly string[];
  /** The time of day when the files were last read. */
  readonly readAt: () => number;
  /** Reads them again, given those that changed. Never rejects. */
  readonly onChange: (changed: readonly string[]) => Promise<void>;
  readonly intervalMs?: number;
  /** A file that was just written may be written again: it must have been still for this long. */
  readonly settleMs?: number;
}

export interface Watch {
  /** To be called right after the files were read: how they are now is what later looks compare with. */
  mark(): Promise<void>;
  /** Compares the files now instead of at the next interval. Resolves when a change that it found was reported. */
  look(): Promise<void>;
  stop(): void;
}

const INTERVAL_MS = 1000;
const SETTLE_MS = 100;
/** A file that is not there any more may be about to be replaced. */
const GONE_SETTLES = 4;
/** Who writes without end is not waited for. */
const MOST_SETTLES = 8;
/** The clock that files are stamped with lags behind the time of day by a few milliseconds. */
const CLOCK_LAG_MS = 20;

/**
 * Looks at the files once a second and tells when one of them is another one: written, replaced, removed, or behind a link
 * that points elsewhere now. Asking for the state of a few dozen files costs less than a millisecond, and, unlike events
 * of the file system, it works for links, for folders that do not exist yet, and on every kind of disk.
 */
export function startWatch(parts: WatchParts): Watch {
  const { files, readAt, onChange, intervalMs = INTERVAL_MS, settleMs = SETTLE_MS } = parts;
  let known: ReadonlyMap<string, Stamp> = new Map();
  let looking: Promise<void> = Promise.resolve();
  let queued: Promise<void> | undefined;
  const over = new AbortController();

  // Watching alone is no reason for the process to stay.
  const pause = (ms: number): Promise<void> =>
    sleep(ms, undefined, { ref: false, signal: over.signal }).catch(() => undefined);

  /** One look at a time. Callers that come before the next one has begun share it. */
  const lookNow = (): Promise<void> => {
    queued ??= looking.then(() => {
      queued = undefined;
      return over.signal.aborted ? undefined : look();
    });
    looking = queued;
    return queued;
  };

  /** A file that is looked at for the first time may have changed since it was read. */
  const isNews = (path: string, now: Stamp): boolean => {
    const before = known.get(path);
    return before === undefined ? now.changedAt >= readAt() - CLOCK_LAG_MS : before.text !== now.text;
  };

  async function look(): Promise<void> {
    let now = await stampsOf(files());
    const changed = [...now].filter(([path, stamp]) => isNews(path, stamp));
    if (changed.length > 0) {
      const settles = changed.some(([, { text }]) => text === "") ? GONE_SETTLES : 1;
      for (let still = 0, tries = 0; still < settles && tries < MOST_SETTLES && !over.signal.aborted; tries++) {
        await pause(settleMs);
        const again = await stampsOf(files());
        still = isSame(now, again) ? still + 1 : 0;
        now = again;
      }
    }
    known = now;
    if (changed.length > 0 && !over.signal.aborted) await onChange(changed.map(([path]) => path));
  }

  async function run(): Promise<void> {
    while (!over.signal.aborted) {
      await lookNow();
      await pause(intervalMs);
    }
  }

  void run();
  return {
    async mark() {
      const now = await stampsOf(files());
      // What changed after it was read is left for the next look to find.
      known = new Map([...[...now].filter(([path, stamp]) => !isNews(path, stamp)), ...known]);
    },
    look: lookNow,
    stop: () => over.abort(),
  };
}

/** Everything that tells one content of a path from another; empty text when there is nothing. */
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
    // Of what a link points at in the end: when the link is swapped, that is another inode.
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = await stat(path, { bigint: true });
    return { text: `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`, changedAt: Number(ctimeMs) };
  } catch {
    return NOTHING;
  }
}

function isSame(before: ReadonlyMap<string, Stamp>, after: ReadonlyMap<string, Stamp>): boolean {
  return before.size === after.size && [...after].every(([path, { text }]) => before.get(path)?.text === text);
}
