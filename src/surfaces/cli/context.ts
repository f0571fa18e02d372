import { line, WARNING } from "../../terminal/lines.js";
import { createTerminal, type Terminal, type TerminalOptions } from "../../terminal/terminal.js";
import { createLog, LOG_VARIABLE, type Log, parseLogOptions } from "../../util/log.js";
import type { CliIo } from "./io.js";

/** What a command handler uses: output, progress display, log and process environment. */
export interface Context extends Terminal {
  readonly io: CliIo;
  readonly configPath: string | undefined;
  /**
   * The gateway's log: written to standard error with `--verbose` or `ANYGPT_LOG`, otherwise buffered for the report of
   * an internal error.
   */
  readonly log: Log;
  /** Prints a warning on standard error, even with `--json` and `--quiet`. */
  readonly warn: (message: string) => void;
  /** The last 20 log messages. */
  readonly logged: () => readonly string[];
}

export interface ContextOptions extends TerminalOptions {
  readonly isVerbose: boolean;
  readonly configPath?: string | undefined;
}

const BUFFERED_MESSAGES = 20;

export function createContext(io: CliIo, options: ContextOptions): Context {
  const terminal = createTerminal(io, options);
  const logged: string[] = [];
  const fromEnvironment = parseLogOptions(io.env[LOG_VARIABLE] ?? "") ?? {};
  const isShown = options.isVerbose || Object.keys(fromEnvironment).length > 0;
  const showLogged = createLog({
    format: "text",
    level: "info",
    ...fromEnvironment,
    now: Date.now,
    write: terminal.write,
  });
  return {
    ...terminal,
    io,
    configPath: options.configPath,
    log(message, facts) {
      logged.push(message);
      if (logged.length > BUFFERED_MESSAGES) logged.shift();
      if (isShown) showLogged(message, facts);
    },
    warn: (message) => terminal.note([line(0, WARNING, ` ${message}`)]),
    logged: () => logged,
  };
}
