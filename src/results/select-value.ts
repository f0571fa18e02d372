import { DiscoveryError } from "../errors.js";
import { invalidRequest } from "../util/invalid-request.js";
import type { ReadableValue } from "./addressable-text.js";
import { describeValue } from "./describe-value.js";
import { estimateTokens } from "./estimate-tokens.js";
import { cutToTokens } from "./fit-tokens.js";
import { evaluateJmesPath } from "./jmespath/evaluate.js";
import { parseJmesPath } from "./jmespath/parser.js";
import { createSteps, type JmesSteps, MAX_STEPS } from "./jmespath/steps.js";
import type { JmesNode } from "./jmespath/tree.js";
import type { ResultBlock } from "./result-blocks.js";
import { countCharacters } from "./result-tokens.js";
import type { Slices } from "./slices.js";

/** The value that an expression selects, or a sentence that says what the result has instead. */
export type ResultSelection =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "nothing"; readonly description: string };

/** A selection can repeat parts of the result. It may have this many characters more than twice the result. */
const EXTRA_CHARACTERS = 4_000_000;
const DESCRIPTION_TOKENS = 400;

/** The JSON of a result. A text that is not JSON cannot be selected from. */
export function jsonOf(blocks: readonly ResultBlock[]): unknown {
  const [first, ...others] = blocks;
  if (first?.kind === "json" && others.length === 0) return first.value;
  const json = blocks.filter((block) => block.kind === "json");
  // A text in front of the JSON, such as "Found 3 issues:", is not part of the data.
  if (json.length === 1) return json[0]?.value;
  if (json.length > 1) return json.map(({ value }) => value);
  throw invalidRequest(
    first === undefined
      ? "The result has no text and no JSON."
      : "The result is text, not JSON, so that a JMESPath expression cannot select from it.",
    'Use grep with a regular expression, or lines with a range such as "1-100".',
  );
}

/** Evaluates an expression on the JSON of a result. */
export function* selectValue({ blocks }: ReadableValue, expression: string): Slices<ResultSelection> {
  const tree = parseJmesPath(expression);
  const root = jsonOf(blocks);
  const characters = yield* countCharacters(root, Number.POSITIVE_INFINITY);
  const value = yield* evaluateJmesPath(tree, root, createSteps(MAX_STEPS + Math.ceil(characters / 2)));
  if (isNothing(value)) return { kind: "nothing", description: yield* describeNothing(tree, expression, root) };
  // A value can contain the same part many times, so that it is small in memory and huge as text.
  const limit = EXTRA_CHARACTERS + 2 * characters;
  if ((yield* countCharacters(value, limit)) > limit)
    throw invalidRequest(
      `The selection ${JSON.stringify(cutToTokens(expression, 100))} is larger than ${limit.toLocaleString("en-US")} characters.`,
      "Select each part of the result only once.",
    );
  return { kind: "value", value };
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

/** Says what is at the deepest part of the path that selects something. */
function* describeNothing(tree: JmesNode, expression: string, root: unknown): Slices<string> {
  const steps = createSteps();
  const whole = { path: "The result", value: root };
  const found = (yield* findDeepest(prefixesOf(tree).slice(0, -1), expression, root, steps)) ?? whole;
  const text = `${JSON.stringify(expression)} selects nothing. ${found.path}: ${describeValue(found.value)}`;
  return cutToTokens(text, DESCRIPTION_TOKENS);
}

function* findDeepest(
  prefixes: readonly JmesNode[],
  expression: string,
  root: unknown,
  steps: JmesSteps,
): Slices<{ path: string; value: unknown } | undefined> {
  for (const prefix of [...prefixes].reverse()) {
    try {
      const value = yield* evaluateJmesPath(prefix, root, steps);
      // An empty array that is really there is an answer; one that a projection or a filter made is not.
      if (isNothing(value) && (prefix.type === "projection" || !Array.isArray(value))) continue;
      return { path: expression.slice(0, prefix.end), value };
    } catch (error) {
      if (!(error instanceof DiscoveryError)) throw error;
    }
  }
  return undefined;
}

/** The expression, ended after each of its steps: `a[*].b` has the prefixes `a`, `a[*]` and `a[*].b`. */
function prefixesOf(node: JmesNode): JmesNode[] {
  if (node.type === "chain") {
    const rest = prefixesOf(node.right).map((right) => ({ ...node, right, end: right.end }));
    return [...prefixesOf(node.left), ...rest];
  }
  if (node.type !== "projection") return node.type === "current" ? [] : [node];
  const current: JmesNode = { type: "current", end: node.right.end, depth: 1, isDirect: true };
  const rest = prefixesOf(node.right).map((right) => ({ ...node, right, end: right.end }));
  const end = node.right.type === "current" ? node.end : node.left.end + 1;
  return [...prefixesOf(node.left), ...(rest.length === 0 ? [{ ...node, right: current, end }] : rest)];
}

export function isShort(text: string, maxTokens: number): boolean {
  return text.length <= maxTokens * 40 && estimateTokens(text) <= maxTokens;
}
