export interface KnownError {
  readonly code: string;
  readonly meaning: string;
  readonly fix?: string;
}

const MEANINGS: readonly (readonly [status: string, meaning: string])[] = [
  ["401", "The credentials are missing or wrong."],
  ["403", "The credentials do not permit this operation."],
  ["429", "Too many requests."],
];

/**
 * Returns the documented errors of an operation, each with advice on how to fix it. If none are documented, returns
 * errors that most APIs have in common.
 */
export function toErrorMap(errors: Readonly<Record<string, string>>, variables: readonly string[]): KnownError[] {
  const documented = Object.entries(errors);
  return (documented.length > 0 ? documented : MEANINGS).map(([code, meaning]) => {
    const fix = fixFor(code, variables);
    return { code, meaning, ...(fix === undefined ? {} : { fix }) };
  });
}

function fixFor(status: string, variables: readonly string[]): string | undefined {
  const where = variables.length > 0 ? variables.join(", ") : "the adapter's credentials";
  if (status === "401") return `Ask the operator to check ${where}.`;
  if (status === "403") return `Ask the operator to check the permissions of ${where}.`;
  if (status === "404") return "Check the ids in params.";
  if (status === "400" || status === "422") return "Check params against their types.";
  if (status === "409") return "Read the current state of the resource before you repeat the call.";
  if (status === "429")
    return "Wait for the time that the error states, then repeat the call with the same idempotency key.";
  if (status.startsWith("5")) return "Repeat the call later with the same idempotency key.";
  return undefined;
}
