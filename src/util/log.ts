// Writes log messages with structured details, as text for users or as JSON for programs.
import { sanitize, sanitizeJson } from "./terminal.js";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export const LOG_FORMATS = ["text", "json"] as const;
/** The severity of a log message. */
export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFormat = (typeof LOG_FORMATS)[number];

/** The environment variable for log options: `ANYGPT_LOG=debug`, `ANYGPT_LOG=json` or `ANYGPT_LOG=debug,json`. */
export const LOG_VARIABLE = "ANYGPT_LOG";

/** Structured details of a log message. */
export interface LogFacts {
  /** The severity of the message. Default: `info`. */
  readonly level?: LogLevel;
  readonly request_id?: string;
  readonly [fact: string]: unknown;
}

export type Log = (message: string, facts?: LogFacts) => void;

export interface LogOptions {
  readonly format: LogFormat;
  /** The lowest level that is logged. */
  readonly level: LogLevel;
}

export interface LogParts extends LogOptions {
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

/**
 * Parses the value of `ANYGPT_LOG`: a level, `json`, or both separated by a comma in any order; undefined for anything
 * else.
 */
export function parseLogOptions(text: string): Partial<LogOptions> | undefined {
  const words = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  const level = LOG_LEVELS.find((one) => words.includes(one));
  const format = LOG_FORMATS.find((one) => words.includes(one));
  const isKnown = words.every((word) => word === level || word === format);
  return isKnown ? { ...(level && { level }), ...(format && { format }) } : undefined;
}

/** Formats a log message as text. The request id lets users find all messages about a request. */
function toText(message: string, { request_id: id }: LogFacts): string {
  return sanitize(id === undefined || message.includes(id) ? message : `${message} [${id}]`);
}

function toJson(line: object): string {
  return sanitizeJson(JSON.stringify(line));
}
