import { Collection, type Item, Request, VariableScope } from "postman-collection";
import { isJsonObject, type JsonObject } from "../../../src/model/json.js";

/** A request as Postman's own library builds it, with all variables replaced. */
export interface PostmanRequest {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly pathValues: Readonly<Record<string, string>>;
  readonly query: readonly Pair[];
  readonly headers: readonly Pair[];
  readonly body: PostmanBody | undefined;
  /** The effective authentication, wherever it is declared. */
  readonly auth: string | undefined;
}

export type Pair = readonly [name: string, value: string];

export type PostmanBody =
  | { readonly kind: "text"; readonly text: string; readonly language: string | undefined }
  | { readonly kind: "fields"; readonly fields: readonly Pair[] }
  | { readonly kind: "parts"; readonly parts: readonly Part[] }
  | { readonly kind: "graphql"; readonly members: JsonObject }
  | { readonly kind: "file"; readonly file: string };

export interface Part {
  readonly name: string;
  readonly value: string;
  readonly isFile: boolean;
}

type Definition = Readonly<Record<string, string>>;

/** All requests of a collection in order. `environment`: values of variables that the collection does not set. */
export function postmanRequests(document: JsonObject, environment: Definition): PostmanRequest[] {
  const scopes = scopesIn(document, [variablesOf({ variable: toList(environment) })]);
  const requests: PostmanRequest[] = [];
  new Collection(document).forEachItem((item) => {
    const scope = scopes[requests.length];
    if (scope !== undefined) requests.push(toRequest(item, scope));
  });
  return requests;
}

type Variables = readonly JsonObject[];

/** The library supports only variables of the collection, the format also those of folders: the nearest folder has priority. */
function scopesIn(container: JsonObject, outer: readonly Variables[]): VariableScope[] {
  const layers = [variablesOf(container), ...outer];
  const items = Array.isArray(container["item"]) ? container["item"].filter(isJsonObject) : undefined;
  if (items !== undefined) return items.flatMap((item) => scopesIn(item, layers));
  const [own, ...others] = layers.map((values) => new VariableScope({ values: [...values] }).values);
  return [new VariableScope({ values: own?.all() ?? [] }, others)];
}

function variablesOf({ variable }: JsonObject): Variables {
  return Array.isArray(variable) ? variable.filter(isJsonObject) : [];
}

function toList(values: Definition): JsonObject[] {
  return Object.entries(values).map(([key, value]) => ({ key, value }));
}

function toRequest(item: Item, scope: VariableScope): PostmanRequest {
  const { method, url, headers, body } = new Request(scope.replaceIn(item.request.toJSON()));
  return {
    name: item.name,
    method,
    path: new URL(url.toString()).pathname,
    pathValues: url.variables.toObject(true, true),
    query: pairsOf(url.query.all()),
    headers: pairsOf(headers.all()),
    // Postman's default.
    body: method === "GET" || body === undefined ? undefined : toBody(body.toJSON()),
    auth: item.getAuth()?.type,
  };
}

interface Entry {
  readonly key?: unknown;
  readonly value?: unknown;
  readonly disabled?: unknown;
}

function pairsOf(entries: readonly Entry[]): Pair[] {
  return entries.filter(({ disabled }) => disabled !== true).map(({ key, value }) => [String(key), String(value)]);
}

function toBody(body: JsonObject): PostmanBody | undefined {
  const part = body[String(body["mode"])];
  const entries = Array.isArray(part) ? part.filter(isJsonObject) : [];
  switch (body["mode"]) {
    case "raw":
      return { kind: "text", text: String(part), language: languageOf(body["options"]) };
    case "urlencoded":
      return { kind: "fields", fields: pairsOf(entries) };
    case "formdata":
      return { kind: "parts", parts: entries.filter(({ disabled }) => disabled !== true).map(toPart) };
    case "graphql":
      return { kind: "graphql", members: toMembers(part as JsonObject) };
    case "file":
      return { kind: "file", file: String((part as JsonObject)["src"]) };
    default:
      return undefined;
  }
}

function languageOf(options: unknown): string | undefined {
  const raw = isJsonObject(options) ? options["raw"] : undefined;
  return isJsonObject(raw) ? String(raw["language"]) : undefined;
}

function toPart({ key, value, type, src }: JsonObject): Part {
  const isFile = type === "file";
  return { name: String(key), value: String(isFile ? src : value), isFile };
}

/** Postman stores the variables as text and sends them as JSON. */
function toMembers({ query, operationName, variables }: JsonObject): JsonObject {
  return { query, operationName, variables: JSON.parse(String(variables)) as unknown };
}
