import { canonicalJson } from "../util/json/canonical.js";
import type { ChainBody } from "./chain.js";
import type { AuditEntry } from "./entry.js";

const LONGEST_TEXT = 512;
const LONGEST_ARGUMENTS = 8192;

export interface BodyOptions {
  /** Of the key that made `params_hash`. */
  readonly keyId: string | undefined;
  /** Undefined: arguments are not recorded. */
  readonly redact: ((given: unknown) => unknown) | undefined;
}

/** What is written of an entry: whatever a caller or a server put into it, it is one small JSON object. */
export function toBody(entry: AuditEntry, { keyId, redact }: BodyOptions): ChainBody {
  const members = entry as unknown as Readonly<Record<string, unknown>>;
  const body: Record<string, unknown> = {};
  for (const name in members) {
    const value = members[name];
    if (name !== "arguments" && value !== undefined) body[name] = toMember(value);
  }
  if ("params_hash" in entry && entry.params_hash !== null && keyId !== undefined) body["key_id"] = keyId;
  const given = members["arguments"];
  if (redact !== undefined && given !== undefined) Object.assign(body, boundArguments(redact(given)));
  return body as unknown as ChainBody;
}

function toMember(value: unknown): string | number | boolean | null {
  if (typeof value === "string") return boundText(value);
  return typeof value === "boolean" || Number.isFinite(value) ? (value as number | boolean) : null;
}

/** Well-formed, without NUL, which the database would end the text at, and cut at a mark that tells the whole length. */
export function boundText(text: string): string {
  if (text.length <= LONGEST_TEXT) return toSound(text);
  const mark = `… (${text.length} characters)`;
  return toSound(text.slice(0, LONGEST_TEXT - mark.length)) + mark;
}

function toSound(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}

function boundArguments(given: unknown): { arguments: unknown } | { arguments_omitted: string } {
  try {
    const { length } = canonicalJson(given);
    return length > LONGEST_ARGUMENTS ? { arguments_omitted: `${length} characters` } : { arguments: given };
  } catch {
    return { arguments_omitted: "not JSON" };
  }
}
