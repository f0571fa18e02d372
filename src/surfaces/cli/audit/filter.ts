import { DiscoveryError } from "../../../errors.js";
import { compileGlob } from "../../../rules/glob.js";
import { fold } from "../../../rules/subject.js";
import type { AuditQuery } from "../../../store/audit-records.js";
import type { Input } from "../command.js";
import type { AuditFilter, ShownRecord } from "./records.js";

const KINDS = ["outcome", "intent", "note", "rotation", "all"] as const;
const OUTCOMES = ["ok", "tool_error", "error", "unknown", "dry_run"] as const;

/** `withIntents`: intents are wanted too unless one kind is named. */
export function toFilter(input: Input, now: number, withIntents = false): AuditFilter {
  const kind = oneOf(input, "kind", KINDS);
  const requestId = input.text("request");
  const tool = input.text("tool");
  const isPattern = tool !== undefined && /[*?[{]/.test(tool);
  const query: AuditQuery = dropUndefined({
    since: when(input, "since", now),
    until: when(input, "until", now),
    kind: kind === "all" ? undefined : kind,
    requestId,
    tool: isPattern ? undefined : tool,
    actor: input.text("actor"),
    outcome: oneOf(input, "outcome", OUTCOMES),
  });
  if (query.since !== undefined && query.until !== undefined && query.since >= query.until) {
    throw wrong("--since is not before --until.", "Swap them, or leave one out.");
  }
  const isOfTool = isPattern ? toPattern(tool) : () => true;
  const hidesIntents = kind === undefined && requestId === undefined && !withIntents;
  return {
    query,
    accepts: (record) => isOfTool(record) && !(hidesIntents && record["kind"] === "intent"),
    isBare: !isPattern && kind === undefined && Object.keys(query).length === 0,
  };
}

function toPattern(pattern: string): (record: ShownRecord) => boolean {
  const { test } = compileGlob(pattern);
  return ({ tool_id: id }) => typeof id === "string" && test(fold(id));
}

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const AGO = /^(\d{1,9}(?:\.\d{1,9})?)([smhdw])$/;
const DATE = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?)?$/i;

/** As records have it: ISO 8601, UTC. */
function when(input: Input, option: "since" | "until", now: number): string | undefined {
  const text = input.text(option)?.trim();
  if (text === undefined) return undefined;
  const time = toTime(text, now);
  if (Number.isFinite(time) && Math.abs(time) <= 8.64e15) return new Date(time).toISOString();
  throw wrong(
    `--${option} ${JSON.stringify(text)} is no time.`,
    "Write a time ago such as 90s, 30m, 1h, 7d or 2w, or a date such as 2026-01-31 or 2026-01-31T10:00:00Z.",
  );
}

function toTime(text: string, now: number): number {
  const [, amount, unit] = AGO.exec(text) ?? [];
  if (amount !== undefined) return now - Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
  const [, date, clock = "00:00", zone = "Z"] = DATE.exec(text) ?? [];
  return date === undefined ? Number.NaN : Date.parse(`${date}T${clock}${zone}`);
}

function oneOf<T extends string>(input: Input, option: string, allowed: readonly T[]): T | undefined {
  const text = input.text(option);
  const found = allowed.find((one) => one === text);
  if (text === undefined || found !== undefined) return found;
  throw wrong(`--${option} ${JSON.stringify(text)} is not known.`, `Give one of ${allowed.join(", ")}.`);
}

function dropUndefined(query: { readonly [Name in keyof AuditQuery]: AuditQuery[Name] | undefined }): AuditQuery {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
}

export function wrong(message: string, hint: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, { hint });
}
