import { Composer, type CST, Lexer, Parser } from "yaml";
import { isJsonObject, type JsonObject } from "../model/json.js";
import { refuseDocument } from "./refuse.js";

/**
 * Size limits of an API document. The limit for YAML is lower, because parsing it takes fifty times the memory of its
 * text.
 */
export const DOCUMENT_LIMITS = { characters: 52_428_800, yamlCharacters: 16_777_216, operations: 20_000 } as const;

const MAX_DEPTH = 200;
/** The maximum number of expanded YAML aliases. The `yaml` library counts each use and multiplies nested ones. */
const MAX_ALIASES = 10_000;

/** Parses the JSON or YAML text of an API document. */
export function parseDocument(given: string): JsonObject {
  const text = given.startsWith("\ufeff") ? given.slice(1) : given;
  assertSize(text, DOCUMENT_LIMITS.characters);
  const value = parseJson(text) ?? parseYaml(text);
  if (isJsonObject(value)) return value;
  throw refuseDocument(
    "The top level of the document is not an object.",
    "Give the URL or file of an OpenAPI document or a Postman collection.",
  );
}

function parseJson(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseYaml(text: string): unknown {
  assertSize(text, DOCUMENT_LIMITS.yamlCharacters);
  const tokens = tokensOf(text);
  if (tokens === undefined) throw notReadable(`is nested deeper than ${MAX_DEPTH} levels`);
  const composer = new Composer({ version: "1.2", schema: "core", merge: true, uniqueKeys: false, logLevel: "silent" });
  const [document] = composer.compose(tokens, true, text.length);
  if (document === undefined || document.errors.length > 0) {
    const at = text.slice(0, document?.errors[0]?.pos[0] ?? 0).split("\n").length;
    throw notReadable(`is neither JSON nor YAML: line ${at} cannot be read`);
  }
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch {
    throw notReadable("has YAML aliases that expand beyond the limit or have no anchor");
  }
}

// Returns undefined if the YAML is nested too deeply. The depth is checked before composing, because the composer is
// recursive and a stack overflow inside a regular expression would end the process.
function tokensOf(text: string): CST.Token[] | undefined {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > MAX_DEPTH) return undefined;
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

function assertSize(text: string, maxCharacters: number): void {
  if (text.length <= maxCharacters) return;
  throw notReadable(`is larger than ${maxCharacters / 1_048_576} MiB`);
}

function notReadable(what: string) {
  return refuseDocument(`The document ${what}.`, "Check the document with an OpenAPI validator.");
}
