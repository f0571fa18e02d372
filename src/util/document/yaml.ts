import {
  Composer,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  Parser,
  type CST,
  type Document,
  type ErrorCode,
  type Pair,
  type ParsedNode,
  type YAMLError,
} from "yaml";
import {
  buildDocument,
  MAX_DOCUMENT_DEPTH,
  MAX_DOCUMENT_VALUES,
  firstOfEachLine,
  positionsIn,
  TOO_DEEP,
  TOO_MANY_VALUES,
  type DocumentFault,
  type Parsed,
  type SyntaxMember,
  type SyntaxNode,
} from "./tree.js";

const MAX_LINES = 100_000;
const OPTIONS = {
  version: "1.2",
  schema: "core",
  merge: false,
  resolveKnownTags: false,
  // Duplicate keys are found in linear time while building the document; the library would compare every key with every
  // other.
  uniqueKeys: false,
  logLevel: "silent",
} as const;

/**
 * Parses one YAML 1.2 document (core schema). Aliases are expanded within the limits; merge keys and tags are rejected.
 */
export function parseYaml(text: string): Parsed {
  const positionAt = positionsIn(text);
  const fault = (reason: string, offset = 0): Parsed => ({
    kind: "faults",
    faults: [{ path: [], position: positionAt(offset), reason }],
  });
  if (hasTooManyLines(text)) return fault(`has more than ${MAX_LINES} lines`);
  const tokens = tokensOf(text);
  if (typeof tokens === "number") return fault(TOO_DEEP, tokens);

  const documents = [...new Composer(OPTIONS).compose(tokens, true, text.length)];
  const [first, second] = documents;
  const faults = documents.flatMap(({ errors, warnings }) => [...errors, ...warnings]).map(toFault);
  if (faults.length > 0) return { kind: "faults", faults: firstOfEachLine(faults) };
  if (second !== undefined) return fault("only one document is allowed in a file", second.range[0]);
  if (first === undefined || isEmpty(first)) return fault("the file is empty");
  const { explicit, version } = first.directives.yaml;
  if (explicit === true && version !== "1.2") return fault("only YAML 1.2 is supported");
  const excess = findExcess(first.contents);
  if (excess !== undefined) return fault(TOO_MANY_VALUES, excess);
  return buildDocument(syntaxOf(first), positionAt);

  function toFault({ code, pos }: YAMLError): DocumentFault {
    return { path: [], position: positionAt(pos[0]), reason: REASONS[code] ?? "is not valid YAML" };
  }
}

// Own messages, because those of the library quote the file, which may contain secrets.
const REASONS: Readonly<Partial<Record<ErrorCode, string>>> = {
  BAD_ALIAS: "the alias is not valid",
  BAD_DIRECTIVE: "the directive is not valid",
  BAD_DQ_ESCAPE: "is not a valid escape in double quotes",
  BAD_INDENT: "has the wrong indentation",
  BAD_SCALAR_START: "this character must be put in quotes",
  BLOCK_AS_IMPLICIT_KEY: "a map cannot start on the same line; put the text in quotes, or the key on its own line",
  BLOCK_IN_FLOW: "a block is not allowed inside brackets or braces",
  MISSING_CHAR: "a closing quote, bracket, colon or comma is missing",
  MULTILINE_IMPLICIT_KEY: "a key must be on one line",
  TAB_AS_INDENT: "tabs are not allowed as indentation",
  TAG_RESOLVE_FAILED: "tags are not supported",
  UNEXPECTED_TOKEN: "is not expected here",
};

function hasTooManyLines(text: string): boolean {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    lines += 1;
    if (lines > MAX_LINES) return true;
  }
  return false;
}

// Returns the tokens, or the offset at which they are nested too deeply. Run this before the composer, which is
// recursive: a stack overflow inside a regular expression would end the process.
function tokensOf(text: string): CST.Token[] | number {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > MAX_DOCUMENT_DEPTH) return parser.offset;
  }
  return [...tokens, ...parser.end()];
}

/**
 * Returns the offset of the node at which the document has too many values, counted as if all aliases were expanded.
 * Aliases are not expanded for this: a short text can describe more values than fit into memory.
 */
function findExcess(contents: ParsedNode | null): number | undefined {
  const anchors = new Map<string, ParsedNode>();
  const sizes = new Map<ParsedNode, number>();
  let excess: number | undefined;

  function count(node: ParsedNode | null): number {
    if (node === null || excess !== undefined) return 1;
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      // An alias inside its own target has no size yet; it is found while the document is built.
      return check(node, target === undefined ? 1 : (sizes.get(target) ?? 1));
    }
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
    let size = 1;
    const children: readonly (ParsedNode | null)[] = isMap(node)
      ? node.items.map(({ value }) => value)
      : isSeq(node)
        ? node.items
        : [];
    for (const child of children) size = check(child ?? node, size + count(child));
    sizes.set(node, size);
    return size;
  }

  function check({ range }: ParsedNode, size: number): number {
    if (size > MAX_DOCUMENT_VALUES) excess ??= range[0];
    return size;
  }

  count(contents);
  return excess;
}

function isEmpty({ contents }: Document.Parsed): boolean {
  return contents === null || ("value" in contents && contents.value === null);
}

function syntaxOf(document: Document.Parsed): SyntaxNode {
  const anchors = new Map<string, ParsedNode>();

  function toNode(node: ParsedNode | null, fallback: number): SyntaxNode {
    if (node === null) return { kind: "scalar", offset: fallback, value: null };
    const [offset] = node.range;
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target === undefined) return { kind: "fault", offset, reason: "the alias has no anchor before it" };
      return toNode(target, offset);
    }
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
    if (isMap(node)) return { kind: "map", offset, members: () => mapIterable(node.items, toMember) };
    if (isSeq(node)) return { kind: "list", offset, items: () => mapIterable(node.items, toItem) };
    return { kind: "scalar", offset, value: node.value };

    function toItem(item: unknown): SyntaxNode {
      return toNode(item as ParsedNode | null, offset);
    }
  }

  function toMember({ key, value }: Pair<ParsedNode, ParsedNode | null>): SyntaxMember {
    const [offset] = key.range;
    const text = isScalar(key) ? keyText(key) : undefined;
    if (text === undefined) {
      return { key: "?", offset, value: { kind: "fault", offset, reason: "a key must be plain text" } };
    }
    if (text === "<<") {
      const reason = "merge keys are not supported; write the keys explicitly";
      return { key: text, offset, value: { kind: "fault", offset, reason } };
    }
    return { key: text, offset, value: toNode(value, offset) };
  }

  return toNode(document.contents, 0);
}

// The text of a map key. A key such as 404 or true is used as a string, in its original spelling.
function keyText(key: { value: unknown; source?: string }): string | undefined {
  if (typeof key.value === "string") return key.value;
  return key.value === null ? undefined : (key.source ?? undefined);
}

function* mapIterable<From, To>(items: Iterable<From>, convert: (item: From) => To): Iterable<To> {
  for (const item of items) yield convert(item);
}
