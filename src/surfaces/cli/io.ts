import type { Readable, Writable } from "node:stream";

/** Everything the command line touches of the process that runs it. */
export interface CliIo {
  readonly stdout: Writable;
  readonly stderr: TextSink;
  readonly stdin: Readable;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly isTerminal: { readonly stdout: boolean; readonly stderr: boolean; readonly stdin?: boolean };
  /** Width of the terminal. Lines for a file or a pipe are not wrapped. */
  readonly columns: number;
  /** The same for standard error, where that is another terminal. */
  readonly stderrColumns?: number;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  /** Calls the listener whenever the process is asked to read its configuration again (SIGHUP). */
  readonly onReload?: (listener: () => void) => void;
}

export interface TextSink {
  write(text: string): unknown;
}
