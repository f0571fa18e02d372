export interface KnownError {
  readonly code: string;
  readonly meaning: string;
  readonly fix?: string;
}

const MEANINGS: readonly (readonly [status: string, meaning: string])[] = [
  ["401", "The credentials are missing or wrong."],
  ["403", "The credentials do not allow it."],
  ["429", "Too many requests."],
];

/** What a document says of an operation's failures with what to do about each; without any, the ones that every API has. */
export function toErrorMap(errors: Readonly<Record<string, string>>, variables: readonly string[]): KnownError[] {
  const known = Object.entries(errors);
  const told = known.length > 0 ? known : MEANINGS;
  return told.map(([code, meaning]) => {
    const fix = fixFor(code, variables);
    return { code, meaning, ...(fix === undefined ? {} : { fix }) };
  });
}

function fixFor(status: string, variables: readonly string[]): string | undefined {
  const where = variables.length > 0 ? variables.join(", ") : "the adapter's credentials";
  if (status === "401") return `A person checks ${where}.`;
  if (status === "403") return `A person checks what ${where} may do.`;
  if (status === "404") return "Check the ids in params.";
  if (status === "400" || status === "422") return "Check params against their types.";
  if (status === "409") return "Look at the current state, then decide.";
  if (status === "429") return "Wait as long as it says, then repeat the call with the same idempotency key.";
  if (status.startsWith("5")) return "Call again later with the same idempotency key.";
  return undefined;
}
