import { checkFunctionCall } from "./signatures.js";
import { selectSyntaxError } from "./syntax-error.js";
import { childrenOf, type JmesKind, type JmesNode } from "./tree.js";

/** The evaluator calls itself for each level. */
const MAX_DEPTH = 200;

/** Returns a function that adds the position, depth and cost to a node. */
export function createNodeMaker(expression: string): (node: JmesKind, end: number) => JmesNode {
  return (node, end) => {
    const children = childrenOf(node);
    const depth = 1 + children.reduce((most, child) => Math.max(most, child.depth), 0);
    if (depth > MAX_DEPTH)
      throw selectSyntaxError(expression, end - 1, `the expression has more than ${MAX_DEPTH} levels`);
    if (node.type === "function") checkFunctionCall(node, expression);
    return { ...node, end, depth, isDirect: isDirectKind(node) && children.every((child) => child.isDirect) };
  };
}

function isDirectKind(node: JmesKind): boolean {
  switch (node.type) {
    case "current":
    case "field":
    case "index":
    case "literal":
    case "chain":
    case "and":
    case "or":
    case "not":
    case "list":
    case "hash":
      return true;
    case "comparison":
      // Two arrays or objects can be large. One of the two must be a literal without members.
      return [node.left, node.right].some(
        (side) => side.type === "literal" && (typeof side.value !== "object" || side.value === null),
      );
    case "slice":
    case "projection":
    case "function":
    case "reference":
      return false;
  }
}
