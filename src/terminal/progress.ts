import { sanitize } from "../util/terminal.js";
import { cutAtWord, toOneLine } from "../util/text.js";
import type { TerminalIo } from "./terminal-io.js";

/** Progress display on standard error. It appears after one second of waiting. */
export interface Progress {
  /** Shows the text from `describe` until `work` is done. Calls `describe` for every frame. */
  during<T>(work: Promise<T>, describe: () => string): Promise<T>;
  duringView<T>(work: Promise<T>, view: ProgressView): Promise<T>;
  /** Hides the display until the work is done. */
  hold<T>(work: () => Promise<T>): Promise<T>;
  /** Erases the display, then writes to standard error. */
  write(text: string): void;
  /** Erases the display. Call it before writing to standard output. */
  erase(): void;
}

/** Progress in several rows, which a terminal redraws. A file or pipe gets one row per change instead. */
export interface ProgressView {
  rows(columns: number): readonly string[];
  /** One row for each change since the last call. */
  changes(): readonly string[];
}

const DELAY_MS = 1000;
const FRAME_MS = 120;
const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const ERASE_LINE = "\r\u001B[2K";
const ERASE_LINE_ABOVE = "\u001B[1A\u001B[2K";

type ProgressIo = Pick<TerminalIo, "stderr" | "isTerminal" | "columns" | "stderrColumns" | "progressDelayMs">;

export function createProgress(
  { stderr, isTerminal, columns, stderrColumns = columns, progressDelayMs = DELAY_MS }: ProgressIo,
  isQuiet = false,
): Progress {
  const maxWidth = Math.max(stderrColumns - 3, 10);
  let shownRows = 0;
  let isHeld = false;

  const erasure = (): string => `${ERASE_LINE}${ERASE_LINE_ABOVE.repeat(Math.max(shownRows - 1, 0))}`;
  const erase = (): void => {
    if (shownRows > 0) stderr.write(erasure());
    shownRows = 0;
  };
  const draw = (frame: number, [first = "", ...rows]: readonly string[]): void => {
    if (isHeld) return;
    stderr.write([`${erasure()}${SPINNER[frame % SPINNER.length]} ${first}`, ...rows].join("\n"));
    shownRows = 1 + rows.length;
  };
  const animate = (rows: () => readonly string[]): NodeJS.Timeout => {
    let frame = 0;
    draw(frame, rows());
    return setInterval(() => draw((frame += 1), rows()), FRAME_MS);
  };
  /** Calls `begin`, which starts the frame timer, after the delay. */
  const show = async <T>(work: Promise<T>, begin: () => NodeJS.Timeout | undefined): Promise<T> => {
    let frames: NodeJS.Timeout | undefined;
    const start = setTimeout(() => (frames = begin()), progressDelayMs);
    try {
      return await work;
    } finally {
      clearTimeout(start);
      clearInterval(frames);
      erase();
    }
  };
  const writeChanges = (view: ProgressView): NodeJS.Timeout => {
    const write = (): void => {
      for (const row of view.changes()) stderr.write(`${row}\n`);
    };
    write();
    return setInterval(write, FRAME_MS);
  };

  return {
    erase,
    during(work, describe) {
      if (isQuiet) return work;
      const text = (): string => toOneLine(sanitize(describe()));
      return show(work, () => {
        if (isTerminal.stderr) return animate(() => [cutAtWord(text(), maxWidth)]);
        stderr.write(`${text()}\n`);
        return undefined;
      });
    },
    duringView: (work, view) =>
      isQuiet ? work : show(work, () => (isTerminal.stderr ? animate(() => view.rows(maxWidth)) : writeChanges(view))),
    async hold(work) {
      erase();
      isHeld = true;
      try {
        return await work();
      } finally {
        isHeld = false;
      }
    },
    write(text) {
      erase();
      stderr.write(text);
    },
  };
}
