import { createNodeMaker } from "./make-node.js";
import { type JmesToken, type JmesTokenType, readJmesTokens } from "./lexer.js";
import { selectSyntaxError } from "./syntax-error.js";
import type { ComparisonNode, JmesNode, ProjectionNode } from "./tree.js";

const MAX_CHARACTERS = 10_000;
const MAX_NESTED = 100;

/** How strongly an operator binds to the expression on its left. */
const BINDING: Partial<Record<JmesTokenType, number>> = {
  "|": 1,
  "||": 2,
  "&&": 3,
  "==": 5,
  "!=": 5,
  "<": 5,
  "<=": 5,
  ">": 5,
  ">=": 5,
  "[]": 9,
  "*": 20,
  "[?": 21,
  ".": 40,
  "[": 55,
};
/** `!a.b` and `!a[]` negate the whole path, and `!a == b` only `a`. */
const NOT_BINDING = 8;
/** Operators that bind less than this end a projection. */
const PROJECTION_END = 10;
const NAMES: Partial<Record<JmesTokenType, string>> = {
  end: "the end of the expression",
  identifier: "a name",
  quoted: "a name in double quotes",
  number: "a number",
  literal: "a literal",
};

const nameOf = (type: JmesTokenType): string => NAMES[type] ?? `"${type}"`;

/** Parses a JMESPath expression. Throws a `DiscoveryError` that names the character at which the syntax is wrong. */
export function parseJmesPath(expression: string): JmesNode {
  if (expression.length > MAX_CHARACTERS)
    throw selectSyntaxError(expression, MAX_CHARACTERS, `the expression is longer than ${MAX_CHARACTERS} characters`);
  const tokens = readJmesTokens(expression);
  const make = createNodeMaker(expression);
  let position = 0;
  let nested = 0;

  const last = (tokens.at(-1) ?? { type: "end", value: undefined, from: 0, end: 0 }) satisfies JmesToken;
  const peek = (ahead = 0): JmesToken => tokens[position + ahead] ?? last;
  const endBefore = (): number => tokens[position - 1]?.end ?? 0;
  const advance = (): JmesToken => {
    const token = peek();
    position += 1;
    return token;
  };
  const fail = (expected: string, token = peek()): never => {
    throw selectSyntaxError(expression, token.from, `expected ${expected}, found ${describeToken(token, expression)}`);
  };
  const expect = (type: JmesTokenType): JmesToken => (peek().type === type ? advance() : fail(nameOf(type)));
  const current = (): JmesNode => make({ type: "current" }, endBefore());
  const project = (
    over: ProjectionNode["over"],
    left: JmesNode,
    readRight: () => JmesNode,
    condition?: JmesNode,
  ): JmesNode => {
    const right = readRight();
    return make(
      { type: "projection", over, left, right, ...(condition === undefined ? {} : { condition }) },
      endBefore(),
    );
  };

  function parse(minimum: number): JmesNode {
    nested += 1;
    if (nested > MAX_NESTED)
      throw selectSyntaxError(expression, peek().from, `the expression has more than ${MAX_NESTED} levels of nesting`);
    let left = parseStart();
    while (minimum < (BINDING[peek().type] ?? 0)) left = parseContinuation(left);
    nested -= 1;
    return left;
  }

  function parseStart(): JmesNode {
    const token = advance();
    const type: string = token.type;
    switch (type) {
      case "literal":
        return make({ type: "literal", value: token.value }, token.end);
      case "identifier":
        if (peek().type === "(") return parseFunction(token);
        return make({ type: "field", name: String(token.value) }, token.end);
      case "quoted":
        if (peek().type === "(") return fail("an operator: the name of a function has no quotes");
        return make({ type: "field", name: String(token.value) }, token.end);
      case "@":
        return current();
      case "*":
        return project("object", current(), () => parseProjected(20));
      case "[?":
        return parseFilter(current());
      case "[]":
        return project("flatten", current(), () => parseProjected(9));
      case "[":
        return parseBracket(undefined);
      case "{":
        return parseHash();
      case "(": {
        const inner = parse(0);
        expect(")");
        return { ...inner, end: endBefore() };
      }
      case "!": {
        const operand = parse(NOT_BINDING);
        return make({ type: "not", operand }, endBefore());
      }
      default:
        return fail("the start of an expression", token);
    }
  }

  function parseContinuation(left: JmesNode): JmesNode {
    const token = advance();
    const type: string = token.type;
    switch (type) {
      case ".": {
        if (peek().type === "*") {
          advance();
          return project("object", left, () => parseProjected(40));
        }
        const right = parseAfterDot(40);
        return make({ type: "chain", left, right }, endBefore());
      }
      case "|": {
        const right = parse(1);
        return make({ type: "chain", left, right }, endBefore());
      }
      case "||":
      case "&&": {
        const right = parse(type === "||" ? 2 : 3);
        return make({ type: type === "||" ? "or" : "and", left, right }, endBefore());
      }
      case "[]":
        return project("flatten", left, () => parseProjected(9));
      case "[?":
        return parseFilter(left);
      case "[":
        return parseBracket(left);
      case "==":
      case "!=":
      case "<":
      case "<=":
      case ">":
      case ">=": {
        const operator: ComparisonNode["operator"] = type;
        const right = parse(5);
        return make({ type: "comparison", operator, left, right }, endBefore());
      }
      default:
        return fail("an operator or the end of the expression", token);
    }
  }

  function parseFilter(left: JmesNode): JmesNode {
    const condition = parse(0);
    expect("]");
    return project("filter", left, () => parseProjected(21), condition);
  }

  /** What comes after `[`: an index, a slice, `*`, or, at the start of an expression, a list of expressions. */
  function parseBracket(left: JmesNode | undefined): JmesNode {
    const { type } = peek();
    if (type === "number" || type === ":") return parseIndex(left);
    if (type === "*" && peek(1).type === "]") {
      position += 2;
      return project("array", left ?? current(), () => parseProjected(20));
    }
    if (left === undefined) return parseList();
    return fail('a number, ":" or "*]"');
  }

  function parseIndex(left: JmesNode | undefined): JmesNode {
    const parts: (number | undefined)[] = [undefined];
    let isSlice = false;
    while (peek().type !== "]") {
      const token = advance();
      if (token.type === ":" && parts.length < 3) {
        isSlice = true;
        parts.push(undefined);
      } else if (token.type === "number" && parts.at(-1) === undefined) parts[parts.length - 1] = Number(token.value);
      else return fail(parts.length < 3 ? '"]", ":" or a number' : '"]"', token);
    }
    const bracket = expect("]");
    const chained = (right: JmesNode): JmesNode =>
      left === undefined ? right : make({ type: "chain", left, right }, bracket.end);
    const [start, stop, step = 1] = parts;
    if (!isSlice) return chained(make({ type: "index", index: start ?? 0 }, bracket.end));
    if (step === 0) throw selectSyntaxError(expression, bracket.from, "the step of a slice must not be 0");
    const sliced = chained(make({ type: "slice", start, stop, step }, bracket.end));
    return project("array", sliced, () => parseProjected(20));
  }

  /** The expression that a projection evaluates for each element. */
  function parseProjected(minimum: number): JmesNode {
    const { type } = peek();
    if ((BINDING[type] ?? 0) < PROJECTION_END) return current();
    if (type === "[" || type === "[?") return parse(minimum);
    if (type !== ".") return fail('".", "[" or an operator');
    advance();
    return parseAfterDot(minimum);
  }

  function parseAfterDot(minimum: number): JmesNode {
    const { type } = peek();
    if (type === "identifier" || type === "quoted" || type === "*") return parse(minimum);
    if (type !== "[" && type !== "{") return fail('a name, "*", "[" or "{" after "."');
    advance();
    return type === "[" ? parseList() : parseHash();
  }

  function parseList(): JmesNode {
    const items = [parse(0)];
    while (peek().type === ",") {
      advance();
      items.push(parse(0));
    }
    if (peek().type !== "]") return fail('"," or "]"');
    advance();
    return make({ type: "list", items }, endBefore());
  }

  function parseHash(): JmesNode {
    const entries: [string, JmesNode][] = [];
    do {
      const key = advance();
      if (key.type !== "identifier" && key.type !== "quoted") return fail("a name", key);
      expect(":");
      entries.push([String(key.value), parse(0)]);
    } while (peek().type === "," && advance().type === ",");
    if (peek().type !== "}") return fail('"," or "}"');
    advance();
    return make({ type: "hash", entries }, endBefore());
  }

  function parseFunction(name: JmesToken): JmesNode {
    expect("(");
    const args: JmesNode[] = [];
    while (peek().type !== ")") {
      if (args.length > 0) expect(",");
      args.push(parseArgument());
    }
    const { end } = expect(")");
    return make({ type: "function", name: String(name.value), args, at: name.from }, end);
  }

  function parseArgument(): JmesNode {
    if (peek().type !== "&") return parse(0);
    advance();
    const inner = parse(0);
    return make({ type: "reference", expression: inner }, endBefore());
  }

  const tree = parse(0);
  return peek().type === "end" ? tree : fail("an operator or the end of the expression");
}

function describeToken({ type, from, end }: JmesToken, expression: string): string {
  return type === "end"
    ? "the end of the expression"
    : JSON.stringify(expression.slice(from, Math.min(end, from + 40)));
}
