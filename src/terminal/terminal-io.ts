import type { Readable, Writable } from "node:stream";

/** The streams of a program and the properties of the terminals that they are connected to. */
export interface TerminalIo {
  readonly stdout: Writable;
  readonly stderr: TextSink;
  readonly stdin: Readable;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: { readonly stdout: boolean; readonly stderr: boolean; readonly stdin?: boolean };
  /** Width of the terminal. Output to a file or a pipe is not wrapped. */
  readonly columns: number;
  /** Width of the terminal at standard error, if it differs. */
  readonly stderrColumns?: number;
  /** How long work lasts before its progress is shown. Default: 1000. */
  readonly progressDelayMs?: number;
  /** Aborts on Ctrl-C. */
  /**
   * Discards what the user has typed and no command has read. Resolves to false if the terminal never becomes quiet.
   * Undefined if the input is no terminal of a user.
   */
  readonly discardInput?: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

export interface TextSink {
  write(text: string): unknown;
}
