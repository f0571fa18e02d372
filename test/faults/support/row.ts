/** What every row of the fault suite is given. */
export interface RowOptions {
  /** How often the row repeats what it does; what that is, is the row's own. */
  readonly count: number;
  readonly seed: number;
  /** The folder of the build that is tested. */
  readonly dist: string;
  /** The folder of a build with failpoints. */
  readonly failpoints: string;
  /** Hears how far the row has come. */
  readonly onProgress?: (text: string) => void;
}

/** What a row found. */
export interface RowResult {
  readonly title: string;
  /** How many cases were judged. */
  readonly n: number;
  /** How many faults were injected. */
  readonly injected: number;
  readonly violations: readonly string[];
  readonly figures: Readonly<Record<string, number | string>>;
  /** Milliseconds of what the row is about, of each case; the report gives p50, p99 and the longest. */
  readonly times?: { readonly of: string; readonly ms: readonly number[] };
  /** What the stock SDK did with the same fault in the same run. */
  readonly stock?: Readonly<Record<string, number | string>>;
}

export type Row = (options: RowOptions) => Promise<RowResult>;
