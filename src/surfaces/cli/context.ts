import { interrupted } from "../../operations/reason.js";
import { createLog, LOG_VARIABLE, type Log, parseLogOptions } from "../../util/log.js";
import { sanitizeJson } from "../../util/terminal.js";
import type { CliIo } from "./io.js";
import { line, type Line, WARNING } from "./lines.js";
import { createProgress } from "./progress.js";
import { render, wantsColor } from "./render.js";
import type { WaitedServer } from "./server-view.js";

/** What a command handler uses: output, progress display, log and process environment. */
export interface Context {
  readonly io: CliIo;
  readonly isJson: boolean;
  readonly configPath: string | undefined;
  /** The gateway's log: written to standard error with `--verbose` or `ANYGPT_LOG`, otherwise buffered for the report of an internal error. */
  readonly log: Log;
  /** Warnings: always on standard error, also with `--json` and `--quiet`. */
  readonly warn: (message: string) => void;
  /** The last 20 log messages. */
  readonly logged: () => readonly string[];
  /** Prints text on standard output. */
  show(lines: readonly Line[]): void;
  /** Prints text on standard error: failures, questions, and what the user needs to answer them. */
  note(lines: readonly Line[]): void;
  /** Prints a question on standard error and leaves the cursor on its line. */
  prompt(question: Line): void;
  /** Prints headings, hints and summaries around a result on standard error; omitted with `--quiet` and `--json`. */
  aside(lines: readonly Line[]): void;
  /** Prints one JSON value on standard output. */
  json(value: unknown): void;
  /** Prints the result on standard output: the value with `--json`, else the lines. */
  reply(value: unknown, lines: () => readonly Line[]): void;
  /** Prints one JSON value on a single line (JSON Lines). */
  jsonLine(value: unknown): void;
  /** Waits and shows progress on standard error. Ctrl-C ends the wait; `graceMs` gives work that handles the signal itself time to finish. */
  wait<T>(work: Promise<T>, describe: () => string, graceMs?: number): Promise<T>;
  /** Waits and shows the state of each server; with `--json` nothing is shown. */
  waitForServers<T>(work: Promise<T>, servers: () => readonly WaitedServer[]): Promise<T>;
  /** Hides the progress display while `work` runs, because the user is reading or typing. */
  withoutProgress<T>(work: () => Promise<T>): Promise<T>;
}

export interface ContextOptions {
  readonly isJson: boolean;
  readonly isVerbose: boolean;
  readonly isColorless: boolean;
  /** Print only results, failures and questions. */
  readonly isQuiet?: boolean;
  readonly configPath?: string | undefined;
}

const BUFFERED_MESSAGES = 20;

export function createContext(io: CliIo, options: ContextOptions): Context {
  const { isJson, isVerbose, isColorless, isQuiet = false, configPath } = options;
  const progress = createProgress(io, isQuiet);
  const logged: string[] = [];
  const fromEnvironment = parseLogOptions(io.env[LOG_VARIABLE] ?? "") ?? {};
  const isShown = isVerbose || Object.keys(fromEnvironment).length > 0;
  const showLogged = createLog({
    format: "text",
    level: "info",
    ...fromEnvironment,
    now: Date.now,
    write: progress.write,
  });
  const widths = { stdout: io.columns, stderr: io.stderrColumns ?? io.columns };
  const look = (output: "stdout" | "stderr") => ({
    columns: io.isTerminal[output] ? widths[output] : Infinity,
    color: wantsColor(io, output, isColorless),
  });

  const note = (lines: readonly Line[]): void => {
    if (lines.length > 0) progress.write(render(lines, look("stderr")));
  };

  const prompt = (question: Line): void => progress.write(render([question], look("stderr")).replace(/\n$/, " "));

  const show = (lines: readonly Line[]): void => {
    progress.erase();
    io.stdout.write(render(lines, look("stdout")));
  };

  const json = (value: unknown): void => void io.stdout.write(`${sanitizeJson(JSON.stringify(value, null, 2))}\n`);

  return {
    io,
    isJson,
    configPath,
    log(message, facts) {
      logged.push(message);
      if (logged.length > BUFFERED_MESSAGES) logged.shift();
      if (isShown) showLogged(message, facts);
    },
    warn: (message) => note([line(0, WARNING, ` ${message}`)]),
    logged: () => logged,
    show,
    note,
    prompt,
    aside: (lines) => (isQuiet || isJson ? undefined : note(lines)),
    json,
    reply: (value, lines) => (isJson ? json(value) : show(lines())),
    jsonLine: (value) => void io.stdout.write(`${sanitizeJson(JSON.stringify(value))}\n`),
    wait: (work, describe, graceMs = 0) => progress.during(abortable(work, graceMs, io.signal), describe),
    waitForServers(work, servers) {
      const either = abortable(
        // `work` may also resolve because of the signal.
        work.then((value) => (io.signal.aborted ? Promise.reject(interrupted()) : value)),
        0,
        io.signal,
      );
      return isJson ? either : progress.duringStarts(either, servers);
    },
    withoutProgress: (work) => progress.hold(work),
  };
}

/** Rejects `graceMs` after the signal aborts, unless the work has ended by then. The work itself continues until the engine closes. */
function abortable<T>(work: Promise<T>, graceMs: number, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    let grace: NodeJS.Timeout | undefined;
    const stop = (): void => {
      grace = setTimeout(() => reject(interrupted()), graceMs);
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    const done = (): void => {
      clearTimeout(grace);
      signal.removeEventListener("abort", stop);
    };
    work.finally(done).then(resolve, reject);
  });
}
