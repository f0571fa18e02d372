import { Composer, type CST, Lexer, Parser } from "yaml";
import { isJsonObject, type JsonObject } from "../model/json.js";
import { refuseDocument } from "./refuse.js";

/** Characters of a document. Reading YAML takes fifty times the memory of its text, so it may have fewer. */
export const DOCUMENT_LIMITS = { characters: 52_428_800, yamlCharacters: 16_777_216, operations: 20_000 } as const;

const DEEPEST = 200;
/** The library counts each use of an anchor, and multiplies those inside each other. */
const MOST_ALIASES = 10_000;

/** The text of a document in JSON or YAML as data. */
export function parseDocument(given: string): JsonObject {
  const text = given.startsWith("\ufeff") ? given.slice(1) : given;
  assertSize(text, DOCUMENT_LIMITS.characters);
  const value = parseJson(text) ?? parseYaml(text);
  if (isJsonObject(value)) return value;
  throw refuseDocument("The document is no map of keys.", "Name an OpenAPI document or a Postman collection.");
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
  if (tokens === undefined) throw notReadable(`is nested deeper than ${DEEPEST} levels`);
  const composer = new Composer({ version: "1.2", schema: "core", merge: true, uniqueKeys: false, logLevel: "silent" });
  const [document] = composer.compose(tokens, true, text.length);
  if (document === undefined || document.errors.length > 0) {
    const at = text.slice(0, document?.errors[0]?.pos[0] ?? 0).split("\n").length;
    throw notReadable(`is neither JSON nor YAML: line ${at} cannot be read`);
  }
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch {
    throw notReadable("uses YAML aliases that multiply beyond the limit, or that name nothing");
  }
}

// The composer recurses, and a stack that overflows inside a regular expression ends the process: so look first.
function tokensOf(text: string): CST.Token[] | undefined {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > DEEPEST) return undefined;
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

function assertSize(text: string, most: number): void {
  if (text.length <= most) return;
  throw notReadable(`is larger than ${most / 1_048_576} MiB`);
}

function notReadable(what: string) {
  return refuseDocument(`The document ${what}.`, "Look at it with an editor that checks OpenAPI documents.");
}
