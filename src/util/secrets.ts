// Redacts secret values in strings, data and errors, in any of their encoded forms.
import { DiscoveryError } from "../errors.js";
import type { NextStep } from "../model/next-steps.js";
import { formsOf } from "./secrets-forms.js";
import { createMatcher, type Matcher, replaceRanges } from "./secrets-matcher.js";
import { createTemporaryValues, createValues, type SecretValues, secretPieces } from "./secrets-values.js";

export interface Secrets {
  /** Redacts the value and its parts from now on. Values that are not secret, such as `true`, are ignored. */
  note(value: string): void;
  /**
   * Like `note`, for a value that is replaced from time to time, such as a token. It must be noted whenever it is used,
   * and expires one to two hours after it was last noted.
   */
  noteTemporary(value: string): void;
  redact(text: string): string;
  /**
   * Copies data and redacts the secrets in every string, including object keys. Parts that are too deep or too large
   * are omitted.
   */
  redactValue(value: unknown): unknown;
  /** Copies an error and redacts the secrets in all its strings. */
  redactError(error: DiscoveryError): DiscoveryError;
  /**
   * Returns a view that also redacts these values. Use it for texts in which they cannot be ordinary words, such as
   * messages of the server that is configured with them. Values noted in the view are redacted in all views.
   */
  with(values: Iterable<string>): Secrets;
}

export type Redact = Secrets["redact"];

export const HIDDEN = "***";
const MAX_MEMBERS = 100_000;
const MAX_DEPTH = 500;
const MAX_CAUSES = 8;

/**
 * `ordinary`: values of this machine that are not secret, such as the home folder. `elapsed`: a monotonic clock in
 * milliseconds.
 */
export function createSecrets(ordinary: Iterable<string> = [], elapsed = (): number => performance.now()): Secrets {
  const ordinaryValues = new Set(ordinary);
  return createView({
    permanent: createValues(ordinaryValues),
    temporary: createTemporaryValues(ordinaryValues, elapsed),
    ordinary: ordinaryValues,
  });
}

interface Noted {
  readonly permanent: SecretValues;
  readonly temporary: SecretValues;
  readonly ordinary: ReadonlySet<string>;
}

function createView(noted: Noted, more: readonly string[] = []): Secrets {
  let viewMatcher: Matcher | undefined;
  const isEmpty = (): boolean => noted.permanent.isEmpty() && noted.temporary.isEmpty() && more.length === 0;

  function redact(text: string): string {
    if (isEmpty()) return text;
    if (more.length > 0) viewMatcher ??= matcherOf(more);
    const ranges = [...noted.permanent.find(text), ...noted.temporary.find(text), ...(viewMatcher?.find(text) ?? [])];
    return replaceRanges(text, ranges, HIDDEN);
  }

  function redactValue(value: unknown): unknown {
    if (isEmpty()) return value;
    let members = 0;
    const hide = (member: unknown, depth: number): unknown => {
      members += 1;
      if (members > MAX_MEMBERS) return "(too much)";
      if (typeof member === "string") return redact(member);
      // A number with many digits may be a secret.
      if (typeof member === "number") return redact(String(member)) === String(member) ? member : HIDDEN;
      if (typeof member !== "object" || member === null) return member;
      if (depth >= MAX_DEPTH) return "(too deep)";
      if (Array.isArray(member)) return member.map((item) => hide(item, depth + 1));
      return Object.fromEntries(Object.entries(member).map(([key, item]) => [redact(key), hide(item, depth + 1)]));
    };
    return hide(value, 0);
  }

  function redactError(error: DiscoveryError): DiscoveryError {
    return isEmpty() ? error : hideInError(error, { redact, redactValue }, 0);
  }

  return {
    note: noted.permanent.note,
    noteTemporary: noted.temporary.note,
    redact,
    redactValue,
    redactError,
    with: (values) =>
      createView(noted, [...more, ...[...values].flatMap((value) => secretPieces(value, noted.ordinary))]),
  };
}

function matcherOf(values: readonly string[]): Matcher {
  const matcher = createMatcher();
  matcher.add(values.flatMap(formsOf));
  return matcher;
}

function hideInError(
  error: DiscoveryError,
  hide: Pick<Secrets, "redact" | "redactValue">,
  depth: number,
): DiscoveryError {
  const { code, message, nextSteps, facts, server, tool, executed, cause, stack } = error;
  const hidden = new DiscoveryError(code, hide.redact(message), {
    hint: hide.redactValue(nextSteps) as readonly NextStep[],
    facts: hide.redactValue(facts) as Readonly<Record<string, unknown>>,
    server: server === undefined ? undefined : hide.redact(server),
    tool: tool === undefined ? undefined : hide.redact(tool),
    executed,
    cause: depth < MAX_CAUSES ? hideInCause(cause, hide, depth + 1) : undefined,
  });
  if (stack !== undefined) hidden.stack = hide.redact(stack);
  return hidden;
}

/**
 * Redacts secrets in the cause of an error, because loggers print causes. Of an error from other code, only name,
 * message, code and stack are kept.
 */
function hideInCause(cause: unknown, hide: Pick<Secrets, "redact" | "redactValue">, depth: number): unknown {
  if (cause instanceof DiscoveryError) return hideInError(cause, hide, depth);
  if (!(cause instanceof Error)) return hide.redactValue(cause);
  const inner =
    cause.cause === undefined || depth >= MAX_CAUSES ? undefined : hideInCause(cause.cause, hide, depth + 1);
  const copy = new Error(hide.redact(cause.message), inner === undefined ? undefined : { cause: inner });
  copy.name = cause.name;
  if (cause.stack !== undefined) copy.stack = hide.redact(cause.stack);
  const { code } = cause as NodeJS.ErrnoException;
  return code === undefined ? copy : Object.assign(copy, { code });
}
