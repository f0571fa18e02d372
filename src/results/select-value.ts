import { DiscoveryError } from "../errors.js";
import { invalidRequest } from "../util/invalid-request.js";
import { describeValue } from "./describe-value.js";
import { estimateTokens } from "./estimate-tokens.js";
import { cutToTokens } from "./fit-tokens.js";
import { isObject } from "./exact-number.js";
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

/** The JSON of a result. A text that is not JSON has no items and cannot be selected from. */
export function jsonOf(blocks: readonly ResultBlock[], what: "select" | "items" = "select"): unknown {
  // A text in front of the JSON, such as "Found 3 issues:", is not part of the data.
  const values = blocks.flatMap((block) => {
    if (block.kind === "json") return [block.value];
    return block.structured === undefined ? [] : [block.structured];
  });
  if (values.length > 0) return values.length === 1 ? values[0] : values;
  const problem = what === "items" ? "it has no items" : "a JMESPath expression cannot select from it";
  throw invalidRequest(
    blocks.length === 0 ? "The result has no text and no JSON." : `The result is text, not JSON, so that ${problem}.`,
    'Use grep with a regular expression, or lines with a range such as "1-100".',
  );
}

/** Evaluates an expression on the JSON of a result. */
export function* selectValue(blocks: readonly ResultBlock[], expression: string): Slices<ResultSelection> {
  const tree = parseJmesPath(expression);
  const root = jsonOf(blocks);
  const characters = yield* countCharacters(root, Number.POSITIVE_INFINITY);
  const value = yield* evaluateJmesPath(tree, root, createSteps(MAX_STEPS + Math.ceil(characters / 2)));
  const isReal = isNothing(value) && (yield* isRealNothing(tree, root, value));
  if (isNothing(value) && !isReal)
    return { kind: "nothing", description: yield* describeNothing(tree, expression, root) };
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

/** Whether the result itself has the null or the empty array that an expression selects. */
function* isRealNothing(tree: JmesNode, root: unknown, value: unknown): Slices<boolean> {
  const [parentNode, last] = divideLast(tree);
  if (Array.isArray(value)) return last.type !== "projection";
  if (last.type !== "field" && last.type !== "index") return last.type === "literal";
  const parent = parentNode === undefined ? root : yield* evaluateJmesPath(parentNode, root, createSteps());
  if (last.type === "index") return Array.isArray(parent) && parent.at(last.index) === null;
  return isObject(parent) && Object.hasOwn(parent, last.name);
}

/** The last step of a path, and the path before it. */
function divideLast(tree: JmesNode): readonly [JmesNode | undefined, JmesNode] {
  if (tree.type !== "chain") return [undefined, tree];
  const [before, last] = divideLast(tree.right);
  return [before === undefined ? tree.left : { ...tree, right: before }, last];
}

/** Says what is at the deepest part of the path that selects something. */
function* describeNothing(tree: JmesNode, expression: string, root: unknown): Slices<string> {
  const steps = createSteps();
  const whole = { path: "The result", value: root };
  const found = (yield* findDeepest(prefixesOf(tree).slice(0, -1), expression, root, steps)) ?? whole;
  const shown = JSON.stringify(cutToTokens(expression, DESCRIPTION_TOKENS / 2));
  const text = `${shown} selects nothing. ${found.path}: ${describeValue(found.value)}`;
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
      return { path: cutToTokens(expression.slice(0, prefix.end), DESCRIPTION_TOKENS / 4), value };
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
