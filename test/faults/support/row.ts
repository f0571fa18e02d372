/** Input of every row of the fault suite. */
export interface RowOptions {
  /** How often the row repeats its work; the row defines what that is. */
  readonly count: number;
  readonly seed: number;
  /** The folder of the tested build. */
  readonly dist: string;
  /** The folder of a build with failpoints. */
  readonly failpoints: string;
  /** Whether other implementations are tried with the same fault as well; they may use their full time limit. */
  readonly triesStock?: boolean;
  /** Receives progress messages. */
  readonly onProgress?: (text: string) => void;
}

/** A time, rate or share that is allowed on an idle machine, with the measured value. */
export interface Gate {
  /** What is timed. */
  readonly of: string;
  readonly allowed: string;
  readonly seen: string;
  /** An unmet gate is reported; it is a violation only if a busy machine does not explain it. */
  readonly verdict: "met" | "not met" | "not judged";
}

/** The result of a row. */
export interface RowResult {
  /** Must not contain a number that depends on the size of the run. */
  readonly title: string;
  /** How many cases were judged, each once. */
  readonly n: number;
  /** How many faults were injected; 0 for load without faults, or if the cases of tests count. */
  readonly injected: number;
  readonly violations: readonly string[];
  readonly gates?: readonly Gate[];
  readonly figures: Readonly<Record<string, number | string>>;
  /** Milliseconds per case; the report gives p50, p99 and the maximum. */
  readonly times?: { readonly of: string; readonly ms: readonly number[] };
  /** What the official SDK did with the same fault in the same run. */
  readonly stock?: Readonly<Record<string, number | string>>;
}

export type Row = (options: RowOptions) => Promise<RowResult>;
