import { isJsonObject, type JsonObject } from "../../src/model/json.js";

const NUMBER = String.raw`-?\d+(?:\.\d+)?(?:e[+-]?\d+)?`;
const UNITS: Record<string, string> = { "": "imum", " chars": "Length", " items": "Items", " keys": "Properties" };
const MARKS: Record<string, string> = { deprecated: "deprecated", "read-only": "readOnly", "write-only": "writeOnly" };
const TYPES = new Set(["string", "number", "integer", "boolean", "null", "object"]);

/** Parses a type expression back into a JSON Schema; names become references to `#/$defs`. Throws on invalid input. */
export function parseType(text: string): JsonObject {
  let at = 0;

  const isAhead = (mark: string): boolean => text.startsWith(mark, at);
  const fail = (what: string): never => {
    throw new Error(`Expected ${what} at ${at} of ${text.slice(0, at)}▸${text.slice(at, at + 80)}`);
  };
  function take(mark: string): boolean {
    if (!isAhead(mark)) return false;
    at += mark.length;
    return true;
  }
  function need(mark: string): void {
    if (!take(mark)) fail(mark);
  }
  function match(pattern: string): RegExpExecArray | undefined {
    const sticky = new RegExp(pattern, "uy");
    sticky.lastIndex = at;
    const found = sticky.exec(text);
    if (found !== null) at = sticky.lastIndex;
    return found ?? undefined;
  }

  function noted(): JsonObject {
    const inner = union();
    const isMarked = ["default", ...Object.values(MARKS)].some((key) => key in inner);
    const schema: JsonObject = isMarked ? { allOf: [inner] } : inner;
    if (take(" = ")) schema["default"] = literal();
    if (take(" e.g. ")) {
      do literal();
      while (take("|"));
    }
    for (
      let mark = match(` (deprecated|read-only|write-only)\\b`);
      mark;
      mark = match(` (deprecated|read-only|write-only)\\b`)
    ) {
      schema[MARKS[mark[1] ?? ""] ?? ""] = true;
    }
    comment();
    return schema;
  }

  function comment(): void {
    while (take(" /*")) at = text.indexOf("*/", at) + 2;
  }

  function union(): JsonObject {
    const options = [intersection()];
    while (take("|")) options.push(intersection());
    return options.length === 1 ? (options[0] ?? {}) : { anyOf: options };
  }

  function intersection(): JsonObject {
    const parts = [bounded()];
    while (take(" & ")) parts.push(bounded());
    return parts.length === 1 ? (parts[0] ?? {}) : { allOf: parts };
  }

  function bounded(): JsonObject {
    let schema = primary();
    while (take("[]")) schema = { type: "array", items: schema };
    while (bound(schema));
    comment();
    return schema;
  }

  function bound(schema: JsonObject): boolean {
    const range = match(` (${NUMBER})?\\.\\.(${NUMBER})?( chars| items| keys)?`);
    if (range) return setRange(schema, [range[1], range[2]], range[3] ?? "");
    const exact = match(` (${NUMBER})( chars| items| keys)`);
    if (exact) return setRange(schema, [exact[1], exact[1]], exact[2] ?? "");
    const limit = match(` ([<>]|multiple of )(${NUMBER})`);
    const names: Record<string, string> = { ">": "exclusiveMinimum", "<": "exclusiveMaximum" };
    if (limit) return set(schema, names[limit[1] ?? ""] ?? "multipleOf", Number(limit[2]));
    if (match(" unique\\b")) return set(schema, "uniqueItems", true);
    const pattern = match(String.raw` /((?![*])(?:\\.|[^/\\])+)/`);
    if (pattern) return set(schema, "pattern", pattern[1]?.replaceAll("\\/", "/"));
    const content = match(" (encoding|media)=([\\w.+/-]+)");
    if (content) return set(schema, content[1] === "media" ? "contentMediaType" : "contentEncoding", content[2]);
    const format = match(" (?!deprecated\\b|read-only\\b|write-only\\b|e\\.g\\.)([A-Za-z][\\w.:-]*)");
    return format ? set(schema, "format", format[1]) : false;
  }

  function setRange(schema: JsonObject, [low, high]: (string | undefined)[], unit: string): boolean {
    if (low !== undefined) schema[`min${UNITS[unit]}`] = Number(low);
    if (high !== undefined) schema[`max${UNITS[unit]}`] = Number(high);
    return true;
  }

  function set(schema: JsonObject, key: string, value: unknown): boolean {
    schema[key] = value;
    return true;
  }

  function primary(): JsonObject {
    if (take("(")) return closedBy(noted(), ")");
    if (take("{")) return members();
    if (take("[")) return tuple();
    if (take("not(")) return { not: closedBy(union(), ")") };
    if (take("oneOf(")) {
      const options = closedBy(union(), ")");
      return { oneOf: options["anyOf"] ?? [options] };
    }
    if (/['"\d-]/u.test(text[at] ?? "") || match("(?=(?:true|false)\\b)")) return { const: literal() };
    const name = match("[A-Za-z]\\w*")?.[0] ?? fail("a type");
    if (name === "any") return {};
    if (name === "never") return { not: {} };
    return TYPES.has(name) ? { type: name } : { $ref: `#/$defs/${name}` };
  }

  function closedBy(schema: JsonObject, mark: string): JsonObject {
    need(mark);
    return schema;
  }

  function tuple(): JsonObject {
    const prefixItems: JsonObject[] = [];
    while (!take("]")) {
      if (prefixItems.length > 0) need(", ");
      if (take("...")) return { type: "array", ...(prefixItems.length > 0 ? { prefixItems } : {}), ...rest() };
      prefixItems.push(noted());
    }
    return { type: "array", prefixItems, items: false };
  }

  function rest(): JsonObject {
    const { items } = bounded();
    need("]");
    return { items };
  }

  function members(): JsonObject {
    const schema = { type: "object", properties: {} as JsonObject, required: [] as string[] };
    const more: JsonObject = { additionalProperties: false };
    for (let first = true; !take("}"); first = false) {
      if (!first) need(", ");
      if (take("[")) keyed(more);
      else member(schema);
    }
    return { ...schema, ...more };
  }

  function member({ properties, required }: { properties: JsonObject; required: string[] }): void {
    const name = match("[\\w$@.-]+")?.[0] ?? String(literal());
    if (!take("?")) required.push(name);
    need(": ");
    Object.defineProperty(properties, name, { value: noted(), enumerable: true });
  }

  function keyed(more: JsonObject): void {
    const pattern = match(String.raw`/((?:\\.|[^/\\])+)/(?=\])`);
    const names = pattern || take("key]: ") ? undefined : union();
    if (pattern || names) need("]: ");
    const schema = noted();
    if (pattern)
      more["patternProperties"] = {
        ...(more["patternProperties"] as object),
        [pattern[1]?.replaceAll("\\/", "/") ?? ""]: schema,
      };
    else if (JSON.stringify(schema) === '{"not":{}}') more["additionalProperties"] = false;
    else more["additionalProperties"] = Object.keys(schema).length === 0 ? true : schema;
    if (names) more["propertyNames"] = names;
  }

  function literal(): unknown {
    const quoted = match("'([^']*)'");
    if (quoted) return quoted[1];
    const end = endOfJson(text, at);
    const value: unknown = JSON.parse(text.slice(at, end));
    at = end;
    return value;
  }

  const schema = noted();
  if (at < text.length) fail("the end");
  return schema;
}

function endOfJson(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === '"') at = endOfString(text, at);
    else if ("{[".includes(character)) depth += 1;
    else if ("}]".includes(character)) depth -= 1;
    if (depth === 0 && ('"}]'.includes(character) || !/[\w.+-]/u.test(text[at + 1] ?? ""))) return at + 1;
    if (depth === 0 && text.startsWith("..", at + 1)) return at + 1;
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

/** The schema that the types of an answer describe, with the named types as its definitions. */
export function parseTypes(text: string, types: Readonly<Record<string, string>> = {}): JsonObject {
  const $defs = Object.fromEntries(Object.entries(types).map(([name, type]) => [name, parseType(type)]));
  const schema = parseType(text);
  return isJsonObject(schema) ? { ...schema, $defs } : schema;
}
