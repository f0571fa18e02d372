// What happened comes in as sentences with facts; lines for people or for programs go out.
import { sanitize, sanitizeJson } from "./terminal.js";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export const LOG_FORMATS = ["text", "json"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFormat = (typeof LOG_FORMATS)[number];

/** `ANYGPT_LOG=debug`, `ANYGPT_LOG=json`, `ANYGPT_LOG=debug,json`. */
export const LOG_VARIABLE = "ANYGPT_LOG";

/** What a program can pick out of a line. */
export interface LogFacts {
  /** `info` when left out. */
  readonly level?: LogLevel;
  readonly request_id?: string;
  readonly [fact: string]: unknown;
}

export type Log = (message: string, facts?: LogFacts) => void;

export interface LogWish {
  readonly format: LogFormat;
  /** The least severe that is wanted. */
  readonly level: LogLevel;
}

export interface LogParts extends LogWish {
  readonly now: () => number;
  readonly write: (text: string) => void;
}

export function createLog({ format, level: least, now, write }: LogParts): Log {
  return (message, { level = "info", ...facts } = {}) => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)) return;
    const line = format === "json" ? toJson({ time: new Date(now()).toISOString(), level, message, ...facts }) : "";
    write(`${line || toText(message, facts)}\n`);
  };
}

/** `debug`, `json` or both with a comma between them, in any order; undefined for anything else. */
export function parseLogWish(text: string): Partial<LogWish> | undefined {
  const words = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  const level = LOG_LEVELS.find((one) => words.includes(one));
  const format = LOG_FORMATS.find((one) => words.includes(one));
  const isKnown = words.every((word) => word === level || word === format);
  return isKnown ? { ...(level && { level }), ...(format && { format }) } : undefined;
}

/** People find the other lines about a request by its id. */
function toText(message: string, { request_id: id }: LogFacts): string {
  return sanitize(id === undefined || message.includes(id) ? message : `${message} [${id}]`);
}

function toJson(line: object): string {
  return sanitizeJson(JSON.stringify(line));
}
