// Draws pages in the terminal's alternate screen and restores the previous screen on close.
import type { Readable, Writable } from "node:stream";

/** Size of the terminal window in characters. */
export interface Window {
  readonly columns: number;
  readonly rows: number;
}

export interface Screen {
  window(): Window;
  draw(text: string): void;
  /** Aborts when the user quits. */
  readonly left: AbortSignal;
  /** Calls the listener when the window is resized. */
  onResize(listener: () => void): void;
  close(): void;
}

export interface ScreenParts {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Width of the window if the terminal does not report its size. */
  readonly columns: number;
}

const ESC = "\u001B[";
/** Escape sequences for the alternate screen, a hidden cursor and no automatic wrapping. */
const ENTER = `${ESC}?1049h${ESC}?25l${ESC}?7l`;
const LEAVE = `${ESC}?7h${ESC}?25h${ESC}?1049l`;
/** Synchronized output (mode 2026): the terminal shows only complete pages. Terminals without support ignore it. */
const BEGIN = `${ESC}?2026h${ESC}H`;
const END = `${ESC}J${ESC}?2026l`;
const REST_OF_LINE = `${ESC}K`;
const USUAL_ROWS = 24;
/** Input that quits: q, Ctrl-C, Ctrl-D and Escape. */
const LEAVING = new Set(["q", "Q", "\u0003", "\u0004", "\u001B"]);

export function openScreen({ stdin, stdout, columns }: ScreenParts): Screen {
  const leaving = new AbortController();
  const listeners = new Set<() => void>();
  const onKey = (typed: Buffer | string): void => {
    const text = String(typed);
    // Arrow and function keys send Escape followed by more characters.
    if (LEAVING.has(text.startsWith("\u001B") ? text : text.charAt(0))) leaving.abort();
  };
  const onResize = (): void => {
    for (const listener of listeners) listener();
  };
  setRaw(stdin, true);
  stdin.on("data", onKey);
  stdin.resume();
  stdout.on("resize", onResize);
  stdout.write(ENTER);

  return {
    left: leaving.signal,
    // The last column stays empty, because erasing the rest of a line would erase a character in it.
    window: () => ({ columns: (sizeOf(stdout, "columns") ?? columns) - 1, rows: sizeOf(stdout, "rows") ?? USUAL_ROWS }),
    draw(text) {
      const lines = text.replace(/\n$/, "").split("\n");
      stdout.write(`${BEGIN}${lines.map((line) => `${line}${REST_OF_LINE}`).join("\r\n")}${END}`);
    },
    onResize: (listener) => void listeners.add(listener),
    close() {
      stdin.off("data", onKey);
      stdin.pause();
      setRaw(stdin, false);
      stdout.off("resize", onResize);
      stdout.write(LEAVE);
    },
  };
}

/** In raw mode the terminal delivers each key immediately and without echo. */
function setRaw(stdin: Readable, isRaw: boolean): void {
  if ("setRawMode" in stdin && typeof stdin.setRawMode === "function") stdin.setRawMode(isRaw);
}

function sizeOf(stdout: Writable, side: "columns" | "rows"): number | undefined {
  const size = side in stdout ? (stdout as Writable & Record<typeof side, unknown>)[side] : undefined;
  return typeof size === "number" && size > 0 ? size : undefined;
}
