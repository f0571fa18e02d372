/** A parsed JMESPath expression. */
export type JmesNode = JmesKind & {
  /** The offset after the last character of this part in the expression. */
  readonly end: number;
  /** How many levels of nodes this one has, itself included. */
  readonly depth: number;
  /** Whether evaluation takes a small, constant number of steps, so that it needs no pause. */
  readonly isDirect: boolean;
};

export type JmesKind =
  | { readonly type: "current" }
  | { readonly type: "field"; readonly name: string }
  | { readonly type: "index"; readonly index: number }
  | SliceNode
  | { readonly type: "literal"; readonly value: unknown }
  /** `left.right` and `left | right`: the right side is evaluated on the value of the left side. */
  | { readonly type: "chain"; readonly left: JmesNode; readonly right: JmesNode }
  | ProjectionNode
  | ComparisonNode
  | { readonly type: "and"; readonly left: JmesNode; readonly right: JmesNode }
  | { readonly type: "or"; readonly left: JmesNode; readonly right: JmesNode }
  | { readonly type: "not"; readonly operand: JmesNode }
  | { readonly type: "list"; readonly items: readonly JmesNode[] }
  | { readonly type: "hash"; readonly entries: readonly (readonly [string, JmesNode])[] }
  | { readonly type: "function"; readonly name: string; readonly args: readonly JmesNode[]; readonly at: number }
  /** `&expression`: an argument that a function evaluates for each element. */
  | { readonly type: "reference"; readonly expression: JmesNode };

export interface SliceNode {
  readonly type: "slice";
  readonly start: number | undefined;
  readonly stop: number | undefined;
  readonly step: number;
}

/**
 * Evaluates `right` for each element and drops null. The elements are those of the array `left` (`array`), of the array
 * after one level of nested arrays was removed (`flatten`), those that fulfil `condition` (`filter`), or the values of
 * the object `left` (`object`).
 */
export interface ProjectionNode {
  readonly type: "projection";
  readonly over: "array" | "flatten" | "filter" | "object";
  readonly left: JmesNode;
  readonly right: JmesNode;
  readonly condition?: JmesNode;
}

export interface ComparisonNode {
  readonly type: "comparison";
  readonly operator: "==" | "!=" | "<" | "<=" | ">" | ">=";
  readonly left: JmesNode;
  readonly right: JmesNode;
}

/** The nodes directly inside a node. */
export function childrenOf(node: JmesKind): readonly JmesNode[] {
  switch (node.type) {
    case "chain":
    case "comparison":
    case "and":
    case "or":
      return [node.left, node.right];
    case "projection":
      return node.condition === undefined ? [node.left, node.right] : [node.left, node.right, node.condition];
    case "not":
      return [node.operand];
    case "list":
      return node.items;
    case "hash":
      return node.entries.map(([, value]) => value);
    case "function":
      return node.args;
    case "reference":
      return [node.expression];
    case "current":
    case "field":
    case "index":
    case "slice":
    case "literal":
      return [];
  }
}
