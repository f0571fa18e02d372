import { CST, Lexer } from "yaml";
import { type DocumentFault, positionsIn } from "../../util/document/tree.js";
import { MAX_TOOL_FILE_BYTES } from "./tool-file.js";

export type ToolFileBody =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "wrong"; readonly reason: string };

const MAX_FAULTS = 20;

/** Decodes the body of a tool file. It must be valid UTF-8 without a byte order mark, and not too large. */
export function decodeToolFileBody(body: string | Uint8Array): ToolFileBody {
  const size = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
  if (size > MAX_TOOL_FILE_BYTES) return { kind: "wrong", reason: `is larger than ${MAX_TOOL_FILE_BYTES / 1024} KiB` };
  const text = typeof body === "string" ? body : decode(body);
  if (text === undefined || !text.isWellFormed()) return { kind: "wrong", reason: "is not valid UTF-8 text" };
  if (text.startsWith("\ufeff")) return { kind: "wrong", reason: "starts with a byte order mark; save it without" };
  return { kind: "text", text };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const REFUSED: Readonly<Record<string, string>> = {
  alias: "aliases are not supported; write the value out",
  anchor: "anchors are not supported",
  tag: "tags are not supported",
  "directive-line": "directives are not supported",
};

/** Finds YAML syntax that is not allowed in a tool file, because YAML parsers differ on it. */
export function findSyntaxFaults(text: string): readonly DocumentFault[] {
  const positionAt = positionsIn(text);
  const fault = (offset: number, reason: string): DocumentFault => ({ path: [], position: positionAt(offset), reason });
  return [...controlsIn(text, fault), ...tokensIn(text, fault)].slice(0, MAX_FAULTS);
}

type ToFault = (offset: number, reason: string) => DocumentFault;

function* controlsIn(text: string, fault: ToFault): Iterable<DocumentFault> {
  for (const { index, 0: character } of text.matchAll(/(?![\n\t])\p{Cc}/gu)) {
    yield fault(index, character === "\r" ? "lines must end with LF alone" : "control characters must be escaped");
  }
}

function* tokensIn(text: string, fault: ToFault): Iterable<DocumentFault> {
  let offset = 0;
  let isScalar = false;
  for (const lexeme of new Lexer().lex(text)) {
    const type: string | null = isScalar ? "text" : CST.tokenType(lexeme);
    isScalar = type === "scalar";
    // Skip markers that the lexer inserts: they are not part of the text.
    if (isScalar || type === "doc-mode" || type === "flow-error-end") continue;
    const reason = REFUSED[type ?? ""];
    if (reason !== undefined) yield fault(offset, reason);
    offset += lexeme.length;
  }
}
