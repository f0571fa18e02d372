import type { Readable, Writable } from "node:stream";
import type { SharedEngine } from "../../operations/background/shared-engine.js";

/** The parts of the process that the CLI uses, so that tests and the background gateway can replace them. */
export interface CliIo {
  readonly stdout: Writable;
  readonly stderr: TextSink;
  readonly stdin: Readable;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly isTerminal: { readonly stdout: boolean; readonly stderr: boolean; readonly stdin?: boolean };
  /** Width of the terminal. Output to a file or a pipe is not wrapped. */
  readonly columns: number;
  /** Width of the terminal at standard error, if it differs. */
  readonly stderrColumns?: number;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  /** Registers a listener for requests to reload the configuration (SIGHUP). */
  readonly onReload?: (listener: () => void) => void;
  /** Registers a listener for uncaught errors, which then do not end the process. */
  readonly onCrash?: (listener: (error: unknown) => void) => void;
  /** The background gateway's engine. If undefined, each command opens its own engine. */
  readonly sharedEngine?: SharedEngine;
}

export interface TextSink {
  write(text: string): unknown;
}
