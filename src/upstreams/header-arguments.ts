// Reads from a tool's input schema which arguments are also sent as HTTP headers (MCP 2026-07-28), and encodes and
// compares them.
import { isJsonObject, type JsonObject } from "../model/json.js";

const KEYWORD = "x-mcp-header";
const PREFIX = "Mcp-Param-";

export interface HeaderArgument {
  readonly path: readonly string[];
  /** The header name with its prefix. */
  readonly header: string;
  readonly type: string;
}

/**
 * The arguments that a tool's input schema declares as headers. If the declarations are `invalid`, a client must not
 * use the tool over HTTP.
 */
export type HeaderArguments =
  | { readonly kind: "valid"; readonly declared: readonly HeaderArgument[] }
  | { readonly kind: "invalid"; readonly reason: string };

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const TYPES = new Set<unknown>(["string", "integer", "boolean"]);
/** JSON Schema keywords whose value maps names chosen by the author to schemas. */
const NAMED = new Set(["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"]);
/** JSON Schema keywords whose value is data, even if it looks like a schema. */
const DATA = new Set(["default", "const", "enum", "examples"]);

const known = new WeakMap<JsonObject, HeaderArguments>();

export function readHeaderArguments(schema: JsonObject): HeaderArguments {
  const already = known.get(schema);
  if (already !== undefined) return already;
  const declared: HeaderArgument[] = [];
  const reason = collect(schema, [], declared) ?? findDuplicate(declared);
  const read: HeaderArguments = reason === undefined ? { kind: "valid", declared } : { kind: "invalid", reason };
  known.set(schema, read);
  return read;
}

/**
 * Collects the header declarations in a schema. Returns the reason if a declaration is invalid. `path` is undefined
 * where the schema does not describe one argument, for example below `anyOf` or `items`.
 */
function collect(schema: unknown, path: readonly string[] | undefined, found: HeaderArgument[]): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  const { [KEYWORD]: header, type } = schema;
  if (header !== undefined) {
    if (path === undefined || path.length === 0) return `${KEYWORD} is set on something that is not an argument`;
    if (typeof header !== "string" || !TOKEN.test(header)) return `${KEYWORD} is not a valid header name`;
    if (!TYPES.has(type)) return `${KEYWORD} is allowed for strings, integers and booleans only`;
    found.push({ path, header: `${PREFIX}${header}`, type: String(type) });
  }
  for (const [key, value] of Object.entries(schema)) {
    const reason = DATA.has(key) ? undefined : collectKeyword({ key, value, path }, found);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

interface Keyword {
  readonly key: string;
  readonly value: unknown;
  readonly path: readonly string[] | undefined;
}

function collectKeyword({ key, value, path }: Keyword, found: HeaderArgument[]): string | undefined {
  const inner = NAMED.has(key) && isJsonObject(value) ? Object.entries(value) : [value].flat().map((one) => ["", one]);
  for (const [name, schema] of inner) {
    const below = key === "properties" && path !== undefined ? [...path, String(name)] : undefined;
    const reason = collect(schema, below, found);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function findDuplicate(declared: readonly HeaderArgument[]): string | undefined {
  const names = new Set(declared.map(({ header }) => header.toLowerCase()));
  return names.size < declared.length ? `${KEYWORD} names the same header twice` : undefined;
}

/** The HTTP headers in which a call repeats some of its arguments. */
export function toArgumentHeaders(schema: JsonObject, args: JsonObject): Record<string, string> {
  const read = readHeaderArguments(schema);
  if (read.kind === "invalid") return {};
  const headers = read.declared.map(({ header, path }) => [header, toText(valueAt(args, path))] as const);
  return Object.fromEntries(headers.flatMap(([name, text]) => (text === undefined ? [] : [[name, encode(text)]])));
}

/** The first header that does not match its argument. Undefined if all match. */
export function findMismatch(schema: JsonObject, args: unknown, headers: Headers): string | undefined {
  const read = readHeaderArguments(schema);
  if (read.kind === "invalid" || !isJsonObject(args)) return undefined;
  return read.declared.find((one) => !isSame(one, valueAt(args, one.path), headers.get(one.header)))?.header;
}

function isSame({ type }: HeaderArgument, value: unknown, header: string | null): boolean {
  const text = toText(value);
  if (text === undefined) return true;
  const decoded = header === null ? undefined : decode(header);
  if (type === "integer" && decoded !== undefined && /^-?\d+(\.0+)?$/.test(decoded)) return Number(decoded) === value;
  return decoded === text;
}

function valueAt(args: JsonObject, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), args);
}

/** The header text of an argument. Undefined for a missing value, and for a value that a header cannot represent. */
function toText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  const isPlain = typeof value === "boolean" || (typeof value === "number" && Number.isSafeInteger(value));
  return isPlain ? String(value) : undefined;
}

const PLAIN = /^[!-~]([\t -~]*[!-~])?$/;
const WRAPPED = /^=\?base64\?(.*)\?=$/s;

function encode(text: string): string {
  if (PLAIN.test(text) && !WRAPPED.test(text)) return text;
  return `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

function decode(header: string): string | undefined {
  const wrapped = WRAPPED.exec(header)?.[1];
  if (wrapped === undefined) return header;
  const bytes = Buffer.from(wrapped, "base64");
  if (bytes.toString("base64") !== wrapped) return undefined;
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? text : undefined;
}
