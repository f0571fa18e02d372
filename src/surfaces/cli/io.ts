import type { Readable, Writable } from "node:stream";
import type { DiscoveryEngine } from "../../engine.js";
import type { OpenOptions } from "../../open-engine.js";

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
  /** Calls the listener with errors that nothing has caught, in place of ending the process. */
  readonly onCrash?: (listener: (error: unknown) => void) => void;
  /** The background gateway's engine; without one each command opens its own. */
  readonly sharedEngine?: SharedEngine;
}

/** The open engine, with its configuration as it is on disk now; undefined where the command wants another one. */
export type SharedEngine = (
  options: Pick<OpenOptions, "configPath"> & Required<Pick<OpenOptions, "log" | "warn">>,
) => Promise<DiscoveryEngine | undefined>;

export interface TextSink {
  write(text: string): unknown;
}
