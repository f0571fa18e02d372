import { DiscoveryError } from "../../errors.js";
import type { AuditSelection } from "./filter.js";

const KINDS = ["outcome", "intent", "note", "rotation", "gap", "all"] as const;
const OUTCOMES = ["ok", "tool_error", "error", "unknown", "dry_run"] as const;

/** The values of the command-line options that select audit records. */
export type AuditWords = Readonly<
  Record<"since" | "until" | "kind" | "request" | "tool" | "actor" | "outcome", string | undefined>
>;

/** Converts the options. Times in `since` and `until` such as `1h` count back from `now`. */
export function toAuditSelection(words: AuditWords, now: number): AuditSelection {
  const given = {
    since: when(words, "since", now),
    until: when(words, "until", now),
    kind: oneOf(words, "kind", KINDS),
    requestId: words.request,
    tool: words.tool,
    actor: words.actor,
    outcome: oneOf(words, "outcome", OUTCOMES),
  };
  if (given.since !== undefined && given.until !== undefined && given.since >= given.until) {
    throw wrong("--since must be earlier than --until.", "Swap the values, or omit one option.");
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const AGO = /^(\d{1,9}(?:\.\d{1,9})?)([smhdw])$/;
const DATE = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?)?$/i;

/** Converts the time in an option to ISO 8601 in UTC, the format of the records. */
function when(words: AuditWords, option: "since" | "until", now: number): string | undefined {
  const text = words[option]?.trim();
  if (text === undefined) return undefined;
  const time = toTime(text, now);
  if (Number.isFinite(time) && Math.abs(time) <= 8.64e15) return new Date(time).toISOString();
  throw wrong(
    `--${option} ${JSON.stringify(text)} is not a valid time.`,
    "Write a time ago such as 90s, 30m, 1h, 7d or 2w, or a date such as 2026-01-31 or 2026-01-31T10:00:00Z.",
  );
}

function toTime(text: string, now: number): number {
  const [, amount, unit] = AGO.exec(text) ?? [];
  if (amount !== undefined) return now - Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
  const [, date, clock = "00:00", zone = "Z"] = DATE.exec(text) ?? [];
  return date === undefined ? Number.NaN : Date.parse(`${date}T${clock}${zone}`);
}

function oneOf<T extends string>(words: AuditWords, option: keyof AuditWords, allowed: readonly T[]): T | undefined {
  const text = words[option];
  const found = allowed.find((one) => one === text);
  if (text === undefined || found !== undefined) return found;
  throw wrong(`--${option} ${JSON.stringify(text)} is not a valid value.`, `Use one of ${allowed.join(", ")}.`);
}

function wrong(message: string, hint: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, { hint });
}
