import { sanitize } from "../../util/terminal.js";
import { cutAtWord, toOneLine } from "../../util/text.js";

const LONGEST_NAME = 60;

/** A name from a server, shortened, on one line and without control characters. */
export function shownName(name: string): string {
  return cutAtWord(sanitize(toOneLine(name)), LONGEST_NAME);
}

export function shownValue(value: unknown): string {
  return value === undefined ? "none" : shownName(JSON.stringify(value));
}
