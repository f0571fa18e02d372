import type { SharedEngine } from "../../operations/background/shared-engine.js";
import type { TerminalIo } from "../../terminal/terminal-io.js";

/** The parts of the process that the CLI uses, so that tests and the background gateway can replace them. */
export interface CliIo extends TerminalIo {
  readonly cwd: string;
  /** Registers a listener for requests to reload the configuration (SIGHUP). */
  readonly onReload?: (listener: () => void) => void;
  /** Registers a listener for uncaught errors, which then do not end the process. */
  readonly onCrash?: (listener: (error: unknown) => void) => void;
  /** The background gateway's engine. If undefined, each command opens its own engine. */
  readonly sharedEngine?: SharedEngine;
}
