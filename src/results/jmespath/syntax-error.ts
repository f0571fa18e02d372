import type { DiscoveryError } from "../../errors.js";
import { invalidRequest } from "../../util/invalid-request.js";

const HINT =
  "Examples of JMESPath: items[0:5], items[*].name, items[?status=='open'].{id: id, title: title}, length(items). Names with other characters than letters, digits and _ need double quotes.";

/** An expression that is not JMESPath. `offset` counts from 0, the message from 1. */
export function selectSyntaxError(expression: string, offset: number, problem: string): DiscoveryError {
  const shown = expression.length > 200 ? `${expression.slice(0, 200)}…` : expression;
  return invalidRequest(
    `The expression ${JSON.stringify(shown)} is not valid JMESPath: character ${offset + 1}: ${problem}.`,
    HINT,
  );
}
