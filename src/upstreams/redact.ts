const SHORTEST_SECRET = 6;

export type Redact = (text: string) => string;

/** Hides the values that were given to one server wherever it writes them back. */
export function createRedact(values: Iterable<string>): Redact {
  const secrets = [...new Set(values)]
    .filter((value) => value.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((hidden, secret) => hidden.replaceAll(secret, "***"), text);
}
