import { sanitize } from "../../util/terminal.js";
import { cutAtWord, toOneLine } from "../../util/text.js";

const MAX_NAME_LENGTH = 60;

/** A tool or parameter name for display: shortened, on one line and without control characters. */
export function shownName(name: string): string {
  return cutAtWord(sanitize(toOneLine(name)), MAX_NAME_LENGTH);
}

export function shownValue(value: unknown): string {
  return value === undefined ? "none" : shownName(JSON.stringify(value));
}
