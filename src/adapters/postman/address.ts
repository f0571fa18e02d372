import { isJsonObject, type JsonObject } from "../../model/json.js";
import { type PostmanValues, substitute } from "./variables.js";

/** The URL of a Postman request, split into parts. Variables with a value are substituted. */
export interface PostmanAddress {
  /** The origin `https://host`, or a variable that stands for it: `{{baseUrl}}`. */
  readonly base: string;
  /** The path segments. `:id` and `{{id}}` are path parameters. */
  readonly steps: readonly string[];
  readonly query: readonly QueryEntry[];
  readonly pathValues: ReadonlyMap<string, PathValue>;
}

export interface QueryEntry {
  readonly name: string;
  readonly value: string;
  readonly description: unknown;
}

export interface PathValue {
  readonly value: string;
  readonly description: unknown;
}

/** Reads the `url` of a request, which is a string or an object with parts. Undefined if it is empty or too long. */
export function readAddress(url: unknown, values: PostmanValues): PostmanAddress | undefined {
  const parts: JsonObject = isJsonObject(url) ? url : {};
  const raw = typeof url === "string" ? url : typeof parts["raw"] === "string" ? parts["raw"] : rawOf(parts);
  if (raw.trim() === "" || raw.length > 8_000) return undefined;
  const [beforeQuery, written] = split(raw.trim().split("#", 1)[0] ?? "", "?");
  const { base, path } = splitBase(beforeQuery, values);
  return {
    base: base.replace(/\/+$/, ""),
    steps: path.split("/").filter((step) => step !== ""),
    query: Array.isArray(parts["query"]) ? queryOfParts(parts["query"]) : queryOfText(written),
    pathValues: pathValuesOf(parts["variable"]),
  };
}

function rawOf({ protocol, host, path }: JsonObject): string {
  const words = (value: unknown, separator: string): string =>
    Array.isArray(value) ? value.map(String).join(separator) : typeof value === "string" ? value : "";
  const name = words(host, ".");
  if (name === "") return "";
  return `${typeof protocol === "string" ? `${protocol}://` : ""}${name}/${words(path, "/")}`;
}

/**
 * Splits a URL, given without its query, into base and path. The base is a leading variable, otherwise the host. If
 * that variable has a value, the base may include a path.
 */
function splitBase(text: string, values: PostmanValues): { readonly base: string; readonly path: string } {
  const variable = /^\{\{[^{}]*\}\}(?::\d+)?/.exec(text)?.[0];
  if (variable !== undefined) {
    const value = substitute(variable, values);
    return { base: toOrigin(value), path: substitute(text.slice(variable.length), values) };
  }
  const filled = substitute(text, values);
  const host = /^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/]*/i.exec(filled)?.[0] ?? "";
  return { base: toOrigin(host), path: filled.slice(host.length) };
}

function toOrigin(host: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(host) || host.includes("{{") ? host : `https://${host}`;
}

function queryOfParts(entries: readonly unknown[]): QueryEntry[] {
  return entries.filter(isJsonObject).flatMap(({ key, value, description, disabled }) => {
    if (typeof key !== "string" || key === "" || disabled === true) return [];
    return [{ name: key, value: typeof value === "string" ? value : "", description }];
  });
}

function queryOfText(text: string): QueryEntry[] {
  const pairs = text.split("&").filter((pair) => pair !== "");
  return pairs.map((pair) => {
    const [name, value] = split(pair, "=");
    return { name, value, description: undefined };
  });
}

function pathValuesOf(variables: unknown): Map<string, PathValue> {
  const entries = (Array.isArray(variables) ? variables : []).filter(isJsonObject);
  return new Map(
    entries.map(({ key, id, value, description }) => [
      String(key ?? id),
      { value: typeof value === "string" ? value : "", description },
    ]),
  );
}

/** Splits a string at the first separator only. */
function split(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
