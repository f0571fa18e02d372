/** What every row of the fault suite is given. */
export interface RowOptions {
  /** How often the row repeats what it does; what that is, is the row's own. */
  readonly count: number;
  readonly seed: number;
  /** The folder of the build that is tested. */
  readonly dist: string;
  /** The folder of a build with failpoints. */
  readonly failpoints: string;
  /** Whether others are tried with the same fault as well, who may need all of their limit for it. */
  readonly triesStock?: boolean;
  /** Hears how far the row has come. */
  readonly onProgress?: (text: string) => void;
}

/** A time, a rate or a share that is allowed on a machine that does nothing else, and what was seen on this one. */
export interface Gate {
  /** What is timed. */
  readonly of: string;
  readonly allowed: string;
  readonly seen: string;
  /** One that is not met is told; it is a violation as well only where a busy machine does not explain it. */
  readonly verdict: "met" | "not met" | "not judged";
}

/** What a row found. */
export interface RowResult {
  /** Names no number that depends on the size of the run. */
  readonly title: string;
  /** How many cases were judged, each once. */
  readonly n: number;
  /** How many faults were injected; 0 where nothing goes wrong but load, or the cases of tests count. */
  readonly injected: number;
  readonly violations: readonly string[];
  readonly gates?: readonly Gate[];
  readonly figures: Readonly<Record<string, number | string>>;
  /** Milliseconds of what the row is about, of each case; the report gives p50, p99 and the longest. */
  readonly times?: { readonly of: string; readonly ms: readonly number[] };
  /** What the stock SDK did with the same fault in the same run. */
  readonly stock?: Readonly<Record<string, number | string>>;
}

export type Row = (options: RowOptions) => Promise<RowResult>;
