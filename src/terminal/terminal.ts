import { interrupted } from "../util/interrupted.js";
import { sanitizeJson } from "../util/terminal.js";
import type { Line } from "./lines.js";
import { createProgress, type ProgressView } from "./progress.js";
import { render, wantsColor } from "./render.js";
import type { TerminalIo } from "./terminal-io.js";

/** Output of one command: results on standard output; progress, questions and messages on standard error. */
export interface Terminal {
  readonly io: TerminalIo;
  /** Results are printed as JSON. */
  readonly isJson: boolean;
  /** Widths for tables: the width of the terminal, or `Infinity` for a file or a pipe. */
  readonly widths: { readonly stdout: number; readonly stderr: number };
  /** Writes text to standard error unchanged. */
  write(text: string): void;
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
  /** Prints one JSON value on a single line (JSON Lines). */
  jsonLine(value: unknown): void;
  /** Prints the result on standard output: the value with `--json`, else the lines. */
  reply(value: unknown, lines: () => readonly Line[]): void;
  /**
   * Waits and shows progress on standard error. Ctrl-C ends the wait; `graceMs` gives work that handles the signal
   * itself time to finish.
   */
  wait<T>(work: Promise<T>, describe: () => string, graceMs?: number): Promise<T>;
  /** Waits and shows a view of several rows; with `--json` nothing is shown. */
  waitWithView<T>(work: Promise<T>, view: ProgressView): Promise<T>;
  /** Hides the progress display while `work` runs, because the user is reading or typing. */
  withoutProgress<T>(work: () => Promise<T>): Promise<T>;
}

export interface TerminalOptions {
  readonly isJson: boolean;
  readonly isColorless: boolean;
  /** Print only results, failures and questions. */
  readonly isQuiet?: boolean;
}

export function createTerminal(io: TerminalIo, { isJson, isColorless, isQuiet = false }: TerminalOptions): Terminal {
  const progress = createProgress(io, isQuiet);
  const widths = {
    stdout: io.isTerminal.stdout ? io.columns : Infinity,
    stderr: io.isTerminal.stderr ? (io.stderrColumns ?? io.columns) : Infinity,
  };
  const toText = (lines: readonly Line[], output: "stdout" | "stderr"): string =>
    render(lines, { columns: widths[output], color: wantsColor(io, output, isColorless) });

  const note = (lines: readonly Line[]): void => {
    if (lines.length > 0) progress.write(toText(lines, "stderr"));
  };

  const show = (lines: readonly Line[]): void => {
    progress.erase();
    io.stdout.write(toText(lines, "stdout"));
  };

  const json = (value: unknown): void => void io.stdout.write(`${sanitizeJson(JSON.stringify(value, null, 2))}\n`);

  return {
    io,
    isJson,
    widths,
    write: progress.write,
    show,
    note,
    prompt: (question) => progress.write(toText([question], "stderr").replace(/\n$/, " ")),
    aside: (lines) => (isQuiet || isJson ? undefined : note(lines)),
    json,
    jsonLine: (value) => void io.stdout.write(`${sanitizeJson(JSON.stringify(value))}\n`),
    reply: (value, lines) => (isJson ? json(value) : show(lines())),
    wait: (work, describe, graceMs = 0) => progress.during(abortable(work, graceMs, io.signal), describe),
    waitWithView(work, view) {
      const either = abortable(
        // If `work` resolves after the signal aborted, its result may be incomplete, so reject.
        work.then((value) => (io.signal.aborted ? Promise.reject(interrupted()) : value)),
        0,
        io.signal,
      );
      return isJson ? either : progress.duringView(either, view);
    },
    withoutProgress: (work) => progress.hold(work),
  };
}

/** Rejects `graceMs` after the signal aborts, unless the work has ended by then. The work itself continues. */
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
