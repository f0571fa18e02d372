import { sanitize } from "../../util/terminal.js";
import { cutAtWord, toOneLine } from "../../util/text.js";
import type { CliIo } from "./io.js";

/** Shows on standard error what is being waited for, once the wait is longer than a second. */
export interface Progress {
  /** `describe` is asked again for every picture. */
  during<T>(work: Promise<T>, describe: () => string): Promise<T>;
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

type ProgressIo = Pick<CliIo, "stderr" | "isTerminal" | "columns" | "stderrColumns">;

export function createProgress(
  { stderr, isTerminal, columns, stderrColumns = columns }: ProgressIo,
  isQuiet = false,
): Progress {
  const longest = Math.max(stderrColumns - 3, 10);
  let isShown = false;
  let isHeld = false;

  const erase = (): void => {
    if (isShown) stderr.write(ERASE_LINE);
    isShown = false;
  };
  const draw = (picture: number, text: string): void => {
    if (isHeld) return;
    stderr.write(`${ERASE_LINE}${SPINNER[picture % SPINNER.length]} ${cutAtWord(text, longest)}`);
    isShown = true;
  };
  const animate = (describe: () => string): NodeJS.Timeout => {
    let picture = 0;
    draw(picture, describe());
    return setInterval(() => draw((picture += 1), describe()), PICTURE_MS);
  };

  return {
    erase,
    async during(work, describe) {
      if (isQuiet) return await work;
      const text = (): string => toOneLine(sanitize(describe()));
      let pictures: NodeJS.Timeout | undefined;
      const start = setTimeout(() => {
        if (isTerminal.stderr) pictures = animate(text);
        else stderr.write(`${text()}\n`);
      }, PATIENCE_MS);
      try {
        return await work;
      } finally {
        clearTimeout(start);
        clearInterval(pictures);
        erase();
      }
    },
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
