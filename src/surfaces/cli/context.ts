import { DiscoveryError } from "../../errors.js";
import { createLog, LOG_VARIABLE, type Log, parseLogWish } from "../../util/log.js";
import { sanitizeJson } from "../../util/terminal.js";
import type { CliIo } from "./io.js";
import { line, type Line, WARNING } from "./lines.js";
import { createProgress } from "./progress.js";
import { render, wantsColor } from "./render.js";
import type { WaitedServer } from "./server-view.js";

/** What a command works with: its output, its waiting, its place. */
export interface Context {
  readonly io: CliIo;
  readonly isJson: boolean;
  readonly configPath: string | undefined;
  /** The gateway's log: shown with `--verbose` or as the environment wants it, else kept for the case of a defect. */
  readonly log: Log;
  /** What a person must hear though nothing has failed: always on standard error, with `--json` too. */
  readonly warn: (message: string) => void;
  /** The last messages of the log. */
  readonly logged: () => readonly string[];
  /** For people, on standard output. */
  show(lines: readonly Line[]): void;
  /** For people, on standard error: failures, questions and what they need to be answered. */
  note(lines: readonly Line[]): void;
  /** Headings, hints and summaries around a result: on standard error, and left out with `--quiet` and `--json`. */
  aside(lines: readonly Line[]): void;
  /** For programs: one value on standard output. */
  json(value: unknown): void;
  /** The same on one line, for a stream of values. */
  jsonLine(value: unknown): void;
  /** Waits with progress on standard error; Ctrl-C ends the wait, after `graceMs` for work that listens to it itself. */
  wait<T>(work: Promise<T>, describe: () => string, graceMs?: number): Promise<T>;
  /** The same with how far each server is; nothing is shown with `--json`. */
  waitForServers<T>(work: Promise<T>, servers: () => readonly WaitedServer[]): Promise<T>;
  /** Shows no progress meanwhile: somebody is reading or typing. */
  undisturbed<T>(work: () => Promise<T>): Promise<T>;
}

export interface ContextOptions {
  readonly isJson: boolean;
  readonly isVerbose: boolean;
  readonly isColorless: boolean;
  /** Only results, failures and questions are written. */
  readonly isQuiet?: boolean;
  readonly configPath?: string | undefined;
}

const KEPT_MESSAGES = 20;

export function createContext(io: CliIo, options: ContextOptions): Context {
  const { isJson, isVerbose, isColorless, isQuiet = false, configPath } = options;
  const progress = createProgress(io, isQuiet);
  const logged: string[] = [];
  const wished = parseLogWish(io.env[LOG_VARIABLE] ?? "") ?? {};
  const isShown = isVerbose || Object.keys(wished).length > 0;
  const showLogged = createLog({ format: "text", level: "info", ...wished, now: Date.now, write: progress.write });
  const widths = { stdout: io.columns, stderr: io.stderrColumns ?? io.columns };
  const look = (output: "stdout" | "stderr") => ({
    columns: io.isTerminal[output] ? widths[output] : Infinity,
    color: wantsColor(io, output, isColorless),
  });

  const note = (lines: readonly Line[]): void => {
    if (lines.length > 0) progress.write(render(lines, look("stderr")));
  };

  return {
    io,
    isJson,
    configPath,
    log(message, facts) {
      logged.push(message);
      if (logged.length > KEPT_MESSAGES) logged.shift();
      if (isShown) showLogged(message, facts);
    },
    warn: (message) => note([line(0, WARNING, ` ${message}`)]),
    logged: () => logged,
    show(lines) {
      progress.erase();
      io.stdout.write(render(lines, look("stdout")));
    },
    note,
    aside: (lines) => (isQuiet || isJson ? undefined : note(lines)),
    json: (value) => void io.stdout.write(`${sanitizeJson(JSON.stringify(value, null, 2))}\n`),
    jsonLine: (value) => void io.stdout.write(`${sanitizeJson(JSON.stringify(value))}\n`),
    wait: (work, describe, graceMs = 0) => progress.during(abortable(work, graceMs, io.signal), describe),
    waitForServers(work, servers) {
      const either = abortable(
        // The wait itself ends with the signal too.
        work.then((value) => (io.signal.aborted ? Promise.reject(interrupted()) : value)),
        0,
        io.signal,
      );
      return isJson ? either : progress.duringStarts(either, servers);
    },
    undisturbed: (work) => progress.hold(work),
  };
}

export function interrupted(): DiscoveryError {
  return new DiscoveryError("CANCELLED", "The command was interrupted.");
}

/** The work itself goes on; closing the engine ends it. */
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
