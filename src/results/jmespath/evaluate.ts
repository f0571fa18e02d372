import type { JsonObject } from "../../model/json.js";
import { compareNumbers, isNumber, isObject } from "../exact-number.js";
import type { Slices } from "../slices.js";
import { callJmesFunction } from "./functions.js";
import type { JmesSteps } from "./steps.js";
import type { ComparisonNode, JmesNode, ProjectionNode, SliceNode } from "./tree.js";
import { isSameJmesValue, isSameNumber, isTruthy, memberOf, setOwn, valuesOf } from "./values.js";

/** The cost of a node that can pause, compared with one that cannot. */
const NODE_STEPS = 4;
const FUNCTION_STEPS = 12;

/** Evaluates an expression on a value. Throws a `DiscoveryError` if a function gets a value of the wrong type. */
export function* evaluateJmesPath(node: JmesNode, value: unknown, steps: JmesSteps): Slices<unknown> {
  if (node.isDirect) return evaluateDirect(node, value, steps);
  if (steps.isPauseDue(node.type === "function" ? FUNCTION_STEPS : NODE_STEPS)) yield;
  switch (node.type) {
    case "chain":
      return yield* evaluateJmesPath(node.right, yield* evaluateJmesPath(node.left, value, steps), steps);
    case "slice":
      return Array.isArray(value) ? yield* sliceArray(value, node, steps) : null;
    case "projection":
      return yield* project(node, value, steps);
    case "and": {
      const left = yield* evaluateJmesPath(node.left, value, steps);
      return isTruthy(left) ? yield* evaluateJmesPath(node.right, value, steps) : left;
    }
    case "or": {
      const left = yield* evaluateJmesPath(node.left, value, steps);
      return isTruthy(left) ? left : yield* evaluateJmesPath(node.right, value, steps);
    }
    case "not":
      return !isTruthy(yield* evaluateJmesPath(node.operand, value, steps));
    case "comparison": {
      const left = yield* evaluateJmesPath(node.left, value, steps);
      const right = yield* evaluateJmesPath(node.right, value, steps);
      if (node.operator !== "==" && node.operator !== "!=") return order(node.operator, left, right);
      return (yield* isSameJmesValue(left, right, steps)) === (node.operator === "==");
    }
    case "list": {
      if (isNull(value)) return null;
      const items: unknown[] = [];
      for (const item of node.items) items.push(yield* evaluateJmesPath(item, value, steps));
      return items;
    }
    case "hash": {
      if (isNull(value)) return null;
      const object: JsonObject = {};
      for (const [key, item] of node.entries) setOwn(object, key, yield* evaluateJmesPath(item, value, steps));
      return object;
    }
    case "function": {
      const values: unknown[] = [];
      for (const argument of node.args)
        values.push(argument.type === "reference" ? null : yield* evaluateJmesPath(argument, value, steps));
      return yield* callJmesFunction(node, values, steps, evaluateJmesPath);
    }
    case "reference":
    case "current":
    case "field":
    case "index":
    case "literal":
      return evaluateDirect(node, value, steps);
  }
}

function evaluateDirect(node: JmesNode, value: unknown, steps: JmesSteps): unknown {
  steps.spend(1);
  switch (node.type) {
    case "current":
      return value ?? null;
    case "field":
      return memberOf(value, node.name);
    case "index":
      return Array.isArray(value) ? ((value as unknown[]).at(node.index) ?? null) : null;
    case "literal":
      return node.value;
    case "chain":
      return evaluateDirect(node.right, evaluateDirect(node.left, value, steps), steps);
    case "and": {
      const left = evaluateDirect(node.left, value, steps);
      return isTruthy(left) ? evaluateDirect(node.right, value, steps) : left;
    }
    case "or": {
      const left = evaluateDirect(node.left, value, steps);
      return isTruthy(left) ? left : evaluateDirect(node.right, value, steps);
    }
    case "not":
      return !isTruthy(evaluateDirect(node.operand, value, steps));
    case "comparison": {
      // One of the two is a literal without members, so that the operator compares them completely.
      const [left, right] = [evaluateDirect(node.left, value, steps), evaluateDirect(node.right, value, steps)];
      const isSame = left === right || isSameNumber(left, right);
      if (node.operator === "==") return isSame;
      return node.operator === "!=" ? !isSame : order(node.operator, left, right);
    }
    case "list":
      return isNull(value) ? null : node.items.map((item) => evaluateDirect(item, value, steps));
    case "hash": {
      if (isNull(value)) return null;
      const object: JsonObject = {};
      for (const [key, item] of node.entries) setOwn(object, key, evaluateDirect(item, value, steps));
      return object;
    }
    case "slice":
    case "projection":
    case "function":
    case "reference":
      return null;
  }
}

function isNull(value: unknown): boolean {
  return value === null || value === undefined;
}

/** Only numbers have an order. */
function order(operator: ComparisonNode["operator"], left: unknown, right: unknown): boolean | null {
  if (!isNumber(left) || !isNumber(right)) return null;
  const difference = compareNumbers(left, right);
  if (operator === "<") return difference < 0;
  if (operator === "<=") return difference <= 0;
  return operator === ">" ? difference > 0 : difference >= 0;
}

function* project(node: ProjectionNode, value: unknown, steps: JmesSteps): Slices<unknown> {
  const left = yield* evaluateJmesPath(node.left, value, steps);
  const elements = yield* elementsOf(node.over, left, steps);
  if (elements === undefined) return null;
  const found: unknown[] = [];
  for (const element of elements) {
    if (steps.isPauseDue(1)) yield;
    if (node.condition !== undefined && !isTruthy(yield* evaluateJmesPath(node.condition, element, steps))) continue;
    const projected = yield* evaluateJmesPath(node.right, element, steps);
    if (!isNull(projected)) found.push(projected);
  }
  return found;
}

function* elementsOf(
  over: ProjectionNode["over"],
  value: unknown,
  steps: JmesSteps,
): Slices<readonly unknown[] | undefined> {
  if (over === "object") return isObject(value) ? yield* valuesOf(value, steps) : undefined;
  if (!Array.isArray(value)) return undefined;
  if (over !== "flatten") return value;
  const flat: unknown[] = [];
  for (const element of value as readonly unknown[]) {
    if (steps.isPauseDue(1)) yield;
    if (!Array.isArray(element)) {
      flat.push(element);
      continue;
    }
    for (const inner of element as readonly unknown[]) {
      if (steps.isPauseDue(1)) yield;
      flat.push(inner);
    }
  }
  return flat;
}

/** As slices in Python: negative numbers count from the end, and a negative step goes backwards. */
function* sliceArray(array: readonly unknown[], { start, stop, step }: SliceNode, steps: JmesSteps): Slices<unknown[]> {
  const { length } = array;
  const [low, high] = step > 0 ? [0, length] : [-1, length - 1];
  const limit = (given: number): number => Math.min(high, Math.max(low, given < 0 ? given + length : given));
  const from = start === undefined ? (step > 0 ? low : high) : limit(start);
  const to = stop === undefined ? (step > 0 ? high : low) : limit(stop);
  const taken: unknown[] = [];
  for (let at = from; step > 0 ? at < to : at > to; at += step) {
    if (steps.isPauseDue(1)) yield;
    taken.push(array[at]);
  }
  return taken;
}
