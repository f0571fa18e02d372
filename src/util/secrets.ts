// Values that must not be seen come in; texts, data and errors go out without them, in whatever form they stood there.
import { DiscoveryError } from "../errors.js";
import { formsOf } from "./secrets-forms.js";
import { createMatcher, type Matcher, replaceRanges } from "./secrets-matcher.js";
import { createPassing, createValues, type Values, valuablePieces } from "./secrets-values.js";

export interface Secrets {
  /** From now on the value is hidden, and what it is made of. Values that say nothing are not taken. */
  note(value: string): void;
  /**
   * The same for a value that is replaced from time to time, such as a token: it has to be told whenever it is used, and is
   * forgotten one to two hours after it was told last.
   */
  notePassing(value: string): void;
  redact(text: string): string;
  /** The same data with the values hidden in every text of it, also in names; what is too deep or too much is left out. */
  redactValue(value: unknown): unknown;
  /** The same error with the values hidden in all that it says. */
  redactError(error: DiscoveryError): DiscoveryError;
  /** Hides these values too, for texts in which they cannot mean anything else. What it is told is noted for all. */
  with(values: Iterable<string>): Secrets;
}

export type Redact = Secrets["redact"];

export const HIDDEN = "***";
const MOST_MEMBERS = 100_000;
const DEEPEST = 500;
const MOST_CAUSES = 8;

/** `ordinary`: values of this machine that everybody knows, such as the home folder. `elapsed`: milliseconds that only grow. */
export function createSecrets(ordinary: Iterable<string> = [], elapsed = (): number => performance.now()): Secrets {
  const own = new Set(ordinary);
  return createView({ lasting: createValues(own), passing: createPassing(own, elapsed), ordinary: own });
}

interface Noted {
  readonly lasting: Values;
  readonly passing: Values;
  readonly ordinary: ReadonlySet<string>;
}

function createView(noted: Noted, more: readonly string[] = []): Secrets {
  let own: Matcher | undefined;
  const isEmpty = (): boolean => noted.lasting.isEmpty() && noted.passing.isEmpty() && more.length === 0;

  function redact(text: string): string {
    if (isEmpty()) return text;
    if (more.length > 0) own ??= matcherOf(more);
    const ranges = [...noted.lasting.find(text), ...noted.passing.find(text), ...(own?.find(text) ?? [])];
    return replaceRanges(text, ranges, HIDDEN);
  }

  function redactValue(value: unknown): unknown {
    if (isEmpty()) return value;
    let members = 0;
    const hide = (member: unknown, depth: number): unknown => {
      members += 1;
      if (members > MOST_MEMBERS) return "(too much)";
      if (typeof member === "string") return redact(member);
      // A number of many digits may be a secret that was read as a number.
      if (typeof member === "number") return redact(String(member)) === String(member) ? member : HIDDEN;
      if (typeof member !== "object" || member === null) return member;
      if (depth >= DEEPEST) return "(too deep)";
      if (Array.isArray(member)) return member.map((item) => hide(item, depth + 1));
      return Object.fromEntries(Object.entries(member).map(([key, item]) => [redact(key), hide(item, depth + 1)]));
    };
    return hide(value, 0);
  }

  function redactError(error: DiscoveryError): DiscoveryError {
    return isEmpty() ? error : hideInError(error, { redact, redactValue }, 0);
  }

  return {
    note: noted.lasting.note,
    notePassing: noted.passing.note,
    redact,
    redactValue,
    redactError,
    with: (values) =>
      createView(noted, [...more, ...[...values].flatMap((value) => valuablePieces(value, noted.ordinary))]),
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
  const { code, message, hint, facts, server, tool, executed, cause, stack } = error;
  const hidden = new DiscoveryError(code, hide.redact(message), {
    hint: hint === undefined ? undefined : hide.redact(hint),
    facts: hide.redactValue(facts) as Readonly<Record<string, unknown>>,
    server: server === undefined ? undefined : hide.redact(server),
    tool: tool === undefined ? undefined : hide.redact(tool),
    executed,
    cause: depth < MOST_CAUSES ? hideInCause(cause, hide, depth + 1) : undefined,
  });
  if (stack !== undefined) hidden.stack = hide.redact(stack);
  return hidden;
}

/** Whoever prints an error prints its causes too. Of one that is not ours, name, text, code and place are kept. */
function hideInCause(cause: unknown, hide: Pick<Secrets, "redact" | "redactValue">, depth: number): unknown {
  if (cause instanceof DiscoveryError) return hideInError(cause, hide, depth);
  if (!(cause instanceof Error)) return hide.redactValue(cause);
  const inner =
    cause.cause === undefined || depth >= MOST_CAUSES ? undefined : hideInCause(cause.cause, hide, depth + 1);
  const copy = new Error(hide.redact(cause.message), inner === undefined ? undefined : { cause: inner });
  copy.name = cause.name;
  if (cause.stack !== undefined) copy.stack = hide.redact(cause.stack);
  const { code } = cause as NodeJS.ErrnoException;
  return code === undefined ? copy : Object.assign(copy, { code });
}
