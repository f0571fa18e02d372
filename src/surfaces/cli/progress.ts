import { sanitize } from "../../util/terminal.js";
import { cutAtWord, toOneLine } from "../../util/text.js";
import type { CliIo } from "./io.js";
import { createChangeLines, viewLines, type WaitedServer } from "./server-view.js";

/** Shows on standard error what is being waited for, once the wait is longer than a second. */
export interface Progress {
  /** `describe` is asked again for every picture. */
  during<T>(work: Promise<T>, describe: () => string): Promise<T>;
  /** Shows how far each server is: on a terminal a view of a few lines, else a line for each change. */
  duringStarts<T>(work: Promise<T>, servers: () => readonly WaitedServer[]): Promise<T>;
  /** Draws nothing until the work is done. */
  hold<T>(work: () => Promise<T>): Promise<T>;
  /** Writes to standard error without tearing the line that is shown. */
  write(text: string): void;
  /** Takes the shown line away, before something is written to standard output. */
  erase(): void;
}

const PATIENCE_MS = 1000;
const PICTURE_MS = 120;
const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const ERASE_LINE = "\r\u001B[2K";
const ERASE_LINE_ABOVE = "\u001B[1A\u001B[2K";

type ProgressIo = Pick<CliIo, "stderr" | "isTerminal" | "columns" | "stderrColumns">;

export function createProgress(
  { stderr, isTerminal, columns, stderrColumns = columns }: ProgressIo,
  isQuiet = false,
): Progress {
  const longest = Math.max(stderrColumns - 3, 10);
  let shownRows = 0;
  let isHeld = false;

  const erasure = (): string => `${ERASE_LINE}${ERASE_LINE_ABOVE.repeat(Math.max(shownRows - 1, 0))}`;
  const erase = (): void => {
    if (shownRows > 0) stderr.write(erasure());
    shownRows = 0;
  };
  const draw = (picture: number, [first = "", ...rows]: readonly string[]): void => {
    if (isHeld) return;
    stderr.write([`${erasure()}${SPINNER[picture % SPINNER.length]} ${first}`, ...rows].join("\n"));
    shownRows = 1 + rows.length;
  };
  const animate = (rows: () => readonly string[]): NodeJS.Timeout => {
    let picture = 0;
    draw(picture, rows());
    return setInterval(() => draw((picture += 1), rows()), PICTURE_MS);
  };
  /** `begin` starts the pictures once the wait is longer than a second. */
  const show = async <T>(work: Promise<T>, begin: () => NodeJS.Timeout | undefined): Promise<T> => {
    let pictures: NodeJS.Timeout | undefined;
    const start = setTimeout(() => (pictures = begin()), PATIENCE_MS);
    try {
      return await work;
    } finally {
      clearTimeout(start);
      clearInterval(pictures);
      erase();
    }
  };
  const writeChanges = (servers: () => readonly WaitedServer[]): NodeJS.Timeout => {
    const changes = createChangeLines();
    const write = (): void => {
      for (const row of changes(servers())) stderr.write(`${row}\n`);
    };
    write();
    return setInterval(write, PICTURE_MS);
  };

  return {
    erase,
    during(work, describe) {
      if (isQuiet) return work;
      const text = (): string => toOneLine(sanitize(describe()));
      return show(work, () => {
        if (isTerminal.stderr) return animate(() => [cutAtWord(text(), longest)]);
        stderr.write(`${text()}\n`);
        return undefined;
      });
    },
    duringStarts: (work, servers) =>
      isQuiet
        ? work
        : show(work, () => (isTerminal.stderr ? animate(() => viewLines(servers(), longest)) : writeChanges(servers))),
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
