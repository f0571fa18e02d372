import { DiscoveryError } from "../errors.js";

const SHORTEST_SECRET = 6;

export type Redact = (text: string) => string;

/** Hides the values that were given to one server wherever it writes them back. */
export function createRedact(values: Iterable<string>): Redact {
  const secrets = [...new Set([...values].flatMap(pieces))]
    .filter((value) => value.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((hidden, secret) => hidden.replaceAll(secret, "***"), text);
}

/** A value such as `Bearer TOKEN` may come back in pieces, and in the form that an address needs. */
function pieces(value: string): string[] {
  const parts = [value, ...value.split(/\s+/)];
  return [...parts, ...parts.map((part) => encodeURIComponent(part.toWellFormed()))];
}

/** The same error with the values hidden in all that it says. */
export function redactError(error: DiscoveryError, redact: Redact): DiscoveryError {
  const { code, message, hint, facts, server, tool, executed, cause } = error;
  return new DiscoveryError(code, redact(message), {
    hint: hint === undefined ? undefined : redact(hint),
    facts: Object.fromEntries(Object.entries(facts).map(([key, fact]) => [key, redactFact(fact, redact)])),
    server,
    tool,
    executed,
    cause,
  });
}

function redactFact(fact: unknown, redact: Redact): unknown {
  if (typeof fact === "string") return redact(fact);
  return Array.isArray(fact) ? fact.map((item) => redactFact(item, redact)) : fact;
}
