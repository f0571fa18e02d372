import { selectSyntaxError } from "./syntax-error.js";
import type { JmesKind } from "./tree.js";

export type JmesType = "number" | "string" | "boolean" | "array" | "object" | "null";

/** What a function accepts as one argument. `reference` is `&expression`. */
export type JmesParameter = "any" | "reference" | "numbers" | "strings" | "numbers or strings" | readonly JmesType[];

interface Signature {
  readonly parameters: readonly JmesParameter[];
  /** Whether the last parameter may be repeated. */
  readonly isVariadic?: true;
}

const NUMBER = ["number"] as const;
const STRING = ["string"] as const;
const ARRAY = ["array"] as const;
const OBJECT = ["object"] as const;

/** The functions of the JMESPath standard. */
export const JMES_SIGNATURES: Readonly<Record<string, Signature>> = {
  abs: { parameters: [NUMBER] },
  avg: { parameters: ["numbers"] },
  ceil: { parameters: [NUMBER] },
  contains: { parameters: [["array", "string"], "any"] },
  ends_with: { parameters: [STRING, STRING] },
  floor: { parameters: [NUMBER] },
  join: { parameters: [STRING, "strings"] },
  keys: { parameters: [OBJECT] },
  length: { parameters: [["string", "array", "object"]] },
  map: { parameters: ["reference", ARRAY] },
  max: { parameters: ["numbers or strings"] },
  max_by: { parameters: [ARRAY, "reference"] },
  merge: { parameters: [OBJECT], isVariadic: true },
  min: { parameters: ["numbers or strings"] },
  min_by: { parameters: [ARRAY, "reference"] },
  not_null: { parameters: ["any"], isVariadic: true },
  reverse: { parameters: [["array", "string"]] },
  sort: { parameters: ["numbers or strings"] },
  sort_by: { parameters: [ARRAY, "reference"] },
  starts_with: { parameters: [STRING, STRING] },
  sum: { parameters: ["numbers"] },
  to_array: { parameters: ["any"] },
  to_number: { parameters: ["any"] },
  to_string: { parameters: ["any"] },
  type: { parameters: ["any"] },
  values: { parameters: [OBJECT] },
};

/** Checks what the syntax alone shows: the name, the number of arguments and which of them are references. */
export function checkFunctionCall(
  { name, args, at }: Extract<JmesKind, { type: "function" }>,
  expression: string,
): void {
  const signature = Object.hasOwn(JMES_SIGNATURES, name) ? JMES_SIGNATURES[name] : undefined;
  if (signature === undefined) {
    const known = Object.keys(JMES_SIGNATURES).join(", ");
    throw selectSyntaxError(expression, at, `no function is named "${name}". Functions: ${known}`);
  }
  const { parameters, isVariadic } = signature;
  const isRight = isVariadic === true ? args.length >= parameters.length : args.length === parameters.length;
  if (!isRight) {
    const count = `${isVariadic === true ? "at least " : ""}${parameters.length}`;
    const noun = parameters.length === 1 ? "argument" : "arguments";
    throw selectSyntaxError(expression, at, `${name} takes ${count} ${noun}, found ${args.length}`);
  }
  for (const [index, argument] of args.entries()) {
    const wanted = parameters[Math.min(index, parameters.length - 1)] === "reference";
    if (wanted === (argument.type === "reference")) continue;
    const problem = wanted ? "must be an expression with & before it, such as &name" : "must not start with &";
    throw selectSyntaxError(expression, at, `argument ${index + 1} of ${name} ${problem}`);
  }
}
