import { parse, TomlDate, TomlError } from "smol-toml";
import type { Path } from "../../util/document/problem.js";
import { buildDocument, MAX_DOCUMENT_DEPTH, TOO_DEEP, type Parsed, type SyntaxNode } from "../../util/document/tree.js";

/** Parses TOML 1.0. The parser reports no positions of values, so a value gets the position of its table header. */
export function parseToml(text: string): Parsed {
  try {
    const value: unknown = parse(text, {
      maxDepth: MAX_DOCUMENT_DEPTH,
      unsafeKeyBehaviour: "throw",
      integersAsBigInt: "asNeeded",
    });
    const built = buildDocument(toNode(value), () => ({ line: 1, column: 1 }));
    if (built.kind === "faults") return built;
    return { kind: "document", document: { value: built.document.value, positionOf: headersIn(text) } };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return { kind: "faults", faults: [{ path: [], position: positionOf(error), reason: reasonOf(error) }] };
  }
}

// The parser's messages are replaced, because they may quote the file, which may contain secrets.
function reasonOf({ message }: TomlError): string {
  if (/depth|nest/i.test(message)) return TOO_DEEP;
  if (/unsafe/i.test(message)) return "is not allowed as a key";
  if (/redefine|already|duplicate/i.test(message)) return "is written twice";
  return "is not valid TOML";
}

function positionOf({ line, column }: TomlError) {
  return { line, column };
}

function toNode(value: unknown): SyntaxNode {
  if (Array.isArray(value)) return { kind: "list", items: () => value.map(toNode) };
  if (value instanceof TomlDate) return { kind: "scalar", value: value.toISOString() };
  if (typeof value === "bigint") return { kind: "scalar", value: Number(value) };
  if (typeof value !== "object" || value === null) return { kind: "scalar", value };
  return {
    kind: "map",
    members: () => Object.entries(value).map(([key, member]) => ({ key, value: toNode(member) })),
  };
}

/**
 * Returns a function that finds the header of the table that contains a path: `[a.b]`, with or without quotes around a
 * part.
 */
function headersIn(text: string): (path: Path) => { line: number; column: number } | undefined {
  const headers = new Map<string, number>();
  text.split("\n").forEach((line, index) => {
    const header = /^\s*\[\[?([^[\]]+)\]/.exec(line)?.[1];
    if (header === undefined) return;
    const parts = [...header.matchAll(/"([^"]*)"|'([^']*)'|([\w-]+)/g)].map((part) => part[1] ?? part[2] ?? part[3]);
    const key = JSON.stringify(parts);
    if (!headers.has(key)) headers.set(key, index + 1);
  });
  return (path) => {
    for (let length = path.length; length > 0; length -= 1) {
      const line = headers.get(JSON.stringify(path.slice(0, length).map(String)));
      if (line !== undefined) return { line, column: 1 };
    }
    return { line: 1, column: 1 };
  };
}
