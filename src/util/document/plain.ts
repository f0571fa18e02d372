import { buildDocument, type Parsed, type SyntaxNode } from "./tree.js";

/**
 * Copies a value to plain data. Functions, class instances, cycles and dangerous keys are reported as validation
 * errors.
 */
export function parsePlain(value: unknown): Parsed {
  return buildDocument(toNode(value), () => ({ line: 1, column: 1 }));
}

function toNode(value: unknown): SyntaxNode {
  if (Array.isArray(value)) return { kind: "list", items: () => value.map(toNode) };
  switch (typeof value) {
    case "string":
    case "number":
    case "boolean":
    case "undefined":
      return { kind: "scalar", value };
    case "object":
      if (value === null) return { kind: "scalar", value };
      if (isPlain(value)) return { kind: "map", members: () => members(value) };
      return { kind: "fault", reason: "must be plain data, not an instance of a class" };
    case "function":
    case "bigint":
    case "symbol":
      return { kind: "fault", reason: `must be plain data, not a ${typeof value}` };
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // The prototype cannot be compared with `Object.prototype`: the module of a configuration file may come from another
  // realm with its own `Object`.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function* members(value: object): Iterable<{ key: string; value: SyntaxNode }> {
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) yield { key, value: toNode(member) };
  }
}
