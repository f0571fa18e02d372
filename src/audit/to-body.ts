import { canonicalJson } from "../util/json/canonical.js";
import type { ChainBody } from "./chain.js";
import type { AuditEntry } from "./entry.js";

const MAX_TEXT_LENGTH = 512;
const MAX_ITEMS = 20;
const MAX_ARGUMENTS_LENGTH = 8192;

export interface BodyOptions {
  /** Id of the key that was used to compute `params_hash`. */
  readonly keyId: string | undefined;
  /** Replaces secrets in the arguments. Undefined if arguments are not recorded. */
  readonly redact: ((value: unknown) => unknown) | undefined;
}

/**
 * Converts an entry to the JSON object that is stored. The size of the object is limited, even if callers or servers
 * send large values.
 */
export function toAuditBody(entry: AuditEntry, { keyId, redact }: BodyOptions): ChainBody {
  const members = entry as unknown as Readonly<Record<string, unknown>>;
  const body: Record<string, unknown> = {};
  for (const name in members) {
    const value = members[name];
    if (name !== "arguments" && value !== undefined) body[name] = toMember(value);
  }
  if ("params_hash" in entry && entry.params_hash !== null && keyId !== undefined) body["key_id"] = keyId;
  const args = members["arguments"];
  if (redact !== undefined && args !== undefined) Object.assign(body, boundArguments(redact(args)));
  return body as unknown as ChainBody;
}

type Member = string | number | boolean | null;

function toMember(value: unknown): Member | Member[] {
  if (!Array.isArray(value)) return toScalar(value);
  const items = value.slice(0, MAX_ITEMS).map(toScalar);
  return value.length > MAX_ITEMS ? [...items, `… (${value.length - MAX_ITEMS} more)`] : items;
}

function toScalar(value: unknown): Member {
  if (typeof value === "string") return boundText(value);
  return typeof value === "boolean" || Number.isFinite(value) ? (value as number | boolean) : null;
}

/**
 * Returns well-formed Unicode without NUL characters (SQLite would end the text there). A text that is too long is
 * truncated, and its full length is appended.
 */
export function boundText(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH) return toStorable(text);
  const mark = `… (${text.length} characters)`;
  return toStorable(text.slice(0, MAX_TEXT_LENGTH - mark.length)) + mark;
}

function toStorable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}

function boundArguments(args: unknown): { arguments: unknown } | { arguments_omitted: string } {
  try {
    const { length } = canonicalJson(args);
    return length > MAX_ARGUMENTS_LENGTH ? { arguments_omitted: `${length} characters` } : { arguments: args };
  } catch {
    return { arguments_omitted: "not JSON" };
  }
}
