import { createScanner, parseTree, printParseErrorCode, type Node, type ParseError } from "jsonc-parser";
import {
  buildDocument,
  MAX_DOCUMENT_DEPTH,
  firstOfEachLine,
  positionsIn,
  TOO_DEEP,
  type DocumentFault,
  type Parsed,
  type SyntaxNode,
} from "./tree.js";

/** Parses JSON with comments and trailing commas, as editors and MCP clients write it. */
export function parseJson(text: string): Parsed {
  const positionAt = positionsIn(text);
  const deep = tooDeepAt(text);
  if (deep !== undefined) {
    return { kind: "faults", faults: [{ path: [], position: positionAt(deep), reason: TOO_DEEP }] };
  }
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || root === undefined) {
    const faults = errors.map(({ error, offset }) => ({
      path: [],
      position: positionAt(offset),
      reason: REASONS[printParseErrorCode(error)] ?? "is not valid JSON",
    }));
    return { kind: "faults", faults: firstOfEachLine(text.trim() === "" ? EMPTY : faults) };
  }
  return buildDocument(toNode(root), positionAt);
}

const EMPTY: readonly DocumentFault[] = [{ path: [], position: { line: 1, column: 1 }, reason: "the file is empty" }];

const REASONS: Readonly<Record<string, string>> = {
  InvalidSymbol: "is not JSON: strings need double quotes",
  InvalidNumberFormat: "is not a valid JSON number",
  PropertyNameExpected: "expected a key in double quotes",
  ValueExpected: "expected a value",
  ColonExpected: "expected a colon",
  CommaExpected: "expected a comma",
  CloseBraceExpected: "expected a closing brace",
  CloseBracketExpected: "expected a closing bracket",
  EndOfFileExpected: "expected the end of the file",
  InvalidCommentToken: "is not a valid JSONC comment",
  UnexpectedEndOfComment: "the comment is not closed",
  UnexpectedEndOfString: "the string is not closed by a double quote",
  UnexpectedEndOfNumber: "the number is not complete",
  InvalidUnicode: "is not a valid \\u escape",
  InvalidEscapeCharacter: "is not a valid escape; write a backslash as \\\\",
  InvalidCharacter: "is a control character, which must be escaped",
};

// Returns the offset at which the text is nested too deeply. Run this before the parser, which is recursive: a stack
// overflow inside a regular expression would end the process.
function tooDeepAt(text: string): number | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const start = text[scanner.getTokenOffset()];
    if (start === "{" || start === "[") depth += 1;
    else if (start === "}" || start === "]") depth -= 1;
    if (depth > MAX_DOCUMENT_DEPTH) return scanner.getTokenOffset();
  }
  return undefined;
}

function toNode(node: Node): SyntaxNode {
  const { offset, children = [] } = node;
  if (node.type === "object") return { kind: "map", offset, members: () => children.flatMap(toMember) };
  if (node.type === "array") return { kind: "list", offset, items: () => children.map(toNode) };
  return { kind: "scalar", offset, value: node.value as unknown };
}

function toMember(property: Node) {
  const [key, value] = property.children ?? [];
  if (key === undefined || value === undefined) return [];
  return [{ key: String(key.value), offset: key.offset, value: toNode(value) }];
}
