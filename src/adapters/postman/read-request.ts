import { isJsonObject } from "../../model/json.js";
import type { DescribedOperation, DescribedParameter } from "../described.js";
import { unsupportedOperation } from "../refuse.js";
import { isValidHeaderName, isReservedHeader } from "../reserved-headers.js";
import { toPlainLine, toPlainText } from "../text.js";
import type { PostmanAddress, QueryEntry } from "./address.js";
import { readPostmanBody, textOf } from "./body.js";
import { inferTextSchema } from "./infer-schema.js";
import { isSecretName } from "./secret.js";
import { soleVariable, substitute } from "./variables.js";
import type { FoundRequest } from "./walk.js";

type ReadRequest = Pick<
  DescribedOperation,
  "method" | "path" | "summary" | "description" | "parameters" | "body" | "errors"
>;

const METHODS = new Set(["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH"]);

/** Reads the method, path, parameters and body of one Postman request. */
export function readRequest(
  found: FoundRequest,
  address: PostmanAddress,
  configuredBase: string | undefined,
): ReadRequest {
  const request = isJsonObject(found.request) ? found.request : {};
  const method = (typeof request["method"] === "string" ? request["method"] : "GET").toUpperCase();
  if (!METHODS.has(method)) throw unsupportedOperation(`uses the method ${method.slice(0, 20)}, which is never sent`);
  const path = readPath(address, configuredBase);
  const headers = headersOf(request["header"]);
  const contentType = headers.find(({ name }) => name.toLowerCase() === "content-type")?.value;
  const type = contentType === undefined ? undefined : /^[\w.+-]+\/[\w.+-]+/.exec(contentType)?.[0];
  const body = method === "GET" || method === "HEAD" ? undefined : readPostmanBody(request["body"], type, found.values);
  const summary = toPlainLine(found.name, 300);
  const description = toPlainText(textOf(request["description"]), 4_000);
  return {
    method,
    path: path.text,
    ...(summary === undefined ? {} : { summary }),
    ...(description === undefined ? {} : { description }),
    parameters: [...path.parameters, ...queryParameters(address.query, found), ...headerParameters(headers, found)],
    ...(body === undefined ? {} : { body }),
    errors: errorsOf(found.responses),
  };
}

/**
 * Converts the path segments: `:id` and `{{id}}` become `{id}`. Removes a prefix that the configured base URL already
 * contains.
 */
function readPath(address: PostmanAddress, configuredBase: string | undefined) {
  const parameters = new Map<string, DescribedParameter>();
  const add = (name: string): string => {
    const given = address.pathValues.get(name);
    parameters.set(name, parameter("path", { name, value: given?.value ?? "", description: given?.description }));
    return `{${name}}`;
  };
  const steps = address.steps.map((step) => {
    const name = /^:([\w.-]{1,100})$/.exec(step)?.[1];
    if (name !== undefined) return add(name);
    if (step === "." || step === "..") throw unsupportedOperation("has a path that leaves its base address");
    return step.replace(/\{\{?\s*([^{}\s]{1,100})\s*\}\}?/g, (_, variable: string) => add(variable));
  });
  const text = `/${steps.join("/")}`;
  if (/[?#\\]|\p{Cc}|\s/u.test(text) || !text.isWellFormed()) {
    throw unsupportedOperation("has a path with white space, a control character or one of ? # \\");
  }
  return { text: withoutBasePath(text, address.base, configuredBase), parameters: [...parameters.values()] };
}

function withoutBasePath(path: string, base: string, configuredBase: string | undefined): string {
  if (configuredBase === undefined || !URL.canParse(configuredBase)) return path;
  const { origin, pathname } = new URL(configuredBase);
  const prefix = pathname.replace(/\/+$/, "");
  const isBelow = base === origin && prefix !== "" && (path === prefix || path.startsWith(`${prefix}/`));
  return isBelow ? path.slice(prefix.length) || "/" : path;
}

function parameter(location: DescribedParameter["in"], { name, value, description }: QueryEntry): DescribedParameter {
  const text = toPlainText(textOf(description), 1_500);
  const isSecret = location === "header" || isSecretName(name);
  return {
    name,
    in: location,
    style: location === "query" ? "form" : "simple",
    explode: location === "query",
    isRequired: location === "path",
    isJson: false,
    allowsReserved: false,
    isDeprecated: false,
    schema: isSecret ? { type: "string" } : inferTextSchema(value),
    ...(text === undefined ? {} : { description: text }),
  };
}

function queryParameters(query: readonly QueryEntry[], { values, auth }: FoundRequest): DescribedParameter[] {
  const byName = new Map<string, DescribedParameter>();
  for (const entry of query) {
    const isCredential = auth?.kind === "api-key" && auth.in === "query" && auth.name === entry.name;
    if (isCredential || /\p{Cc}/u.test(entry.name) || !entry.name.isWellFormed()) continue;
    const one = parameter("query", { ...entry, value: valueOf(entry.value, values) });
    const before = byName.get(entry.name);
    // Several entries with the same name become a list.
    byName.set(entry.name, before === undefined ? one : { ...before, schema: { type: "array", items: one.schema } });
  }
  return [...byName.values()];
}

function valueOf(text: string, values: FoundRequest["values"]): string {
  const value = substitute(text, values);
  return soleVariable(value) === undefined ? value : "";
}

interface Header {
  readonly name: string;
  readonly value: string;
  readonly description: unknown;
}

/** Reads the headers of a request, which are a list or one string with a line for each header. */
function headersOf(given: unknown): Header[] {
  if (typeof given === "string") {
    return given.split(/\r?\n/).flatMap((one) => {
      const at = one.indexOf(":");
      return at < 1 ? [] : [{ name: one.slice(0, at).trim(), value: one.slice(at + 1).trim(), description: undefined }];
    });
  }
  return (Array.isArray(given) ? given : []).filter(isJsonObject).flatMap(({ key, value, description, disabled }) => {
    if (typeof key !== "string" || disabled === true) return [];
    return [{ name: key.trim(), value: typeof value === "string" ? value : "", description }];
  });
}

function headerParameters(headers: readonly Header[], { auth }: FoundRequest): DescribedParameter[] {
  const key = auth?.kind === "api-key" && auth.in === "header" ? auth.name.toLowerCase() : undefined;
  const usable = headers.filter(
    ({ name }) => isValidHeaderName(name) && !isReservedHeader(name) && name.toLowerCase() !== key,
  );
  const byName = new Map(usable.map((header) => [header.name.toLowerCase(), header]));
  return [...byName.values()].map((header) => parameter("header", header));
}

function errorsOf(responses: readonly unknown[]): Record<string, string> {
  const failures = responses.filter(isJsonObject).flatMap(({ code, name }) => {
    const text = toPlainLine(name, 160);
    return Number(code) >= 400 && Number(code) < 600 && text !== undefined ? [[String(code), text] as const] : [];
  });
  return Object.fromEntries(failures);
}
