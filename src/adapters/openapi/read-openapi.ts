// Reads the operations of an OpenAPI or Swagger document lazily.
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { DescribedOperation, ReadDocument, ReadOperation } from "../described.js";
import type { References } from "../references.js";
import { attempt, unsupportedOperation } from "../refuse.js";
import { toPlainLine, toPlainText, toWebAddress } from "../text.js";
import { addressOf, baseUrlOf } from "./addresses.js";
import { toDescribedBody, toBodyOfParameters } from "./body.js";
import { asList, asObject, asText, type OpenApiDialect } from "./dialect.js";
import { checkPath, withPathParameters } from "./path.js";
import { mergeParameters, toParameter } from "./parameters.js";
import { readSecurity, type Security } from "./security.js";

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;
const MAX_ERRORS = 20;

export interface OpenApiParts {
  readonly root: JsonObject;
  readonly dialect: OpenApiDialect;
  readonly references: References;
  /** The path or URL of the document. */
  readonly document: string;
}

interface Reading extends OpenApiParts {
  readonly security: Security;
  readonly baseUrl: string | undefined;
}

export function readOpenApi(parts: OpenApiParts): ReadDocument {
  const { root, references, document } = parts;
  const info = asObject(root["info"]);
  const security = readSecurity(root, references);
  const baseUrl = baseUrlOf(root, document);
  const title = toPlainLine(info["title"], 200);
  const version = toPlainLine(typeof info["version"] === "number" ? String(info["version"]) : info["version"], 60);
  const description = toPlainText(info["description"], 2_000);
  return {
    api: {
      ...(title === undefined ? {} : { title }),
      ...(version === undefined ? {} : { version }),
      ...(description === undefined ? {} : { description }),
      ...(baseUrl === undefined ? {} : { baseUrl }),
      auth: security.auth,
    },
    operations: readOperations({ ...parts, security, baseUrl }),
  };
}

function* readOperations(reading: Reading): Iterable<ReadOperation> {
  for (const [path, raw] of Object.entries(asObject(reading.root["paths"]))) {
    if (path.startsWith("x-")) continue;
    const item = attempt(() => ({ value: asObject(reading.references.follow(raw)) }));
    if ("refusal" in item) {
      yield { kind: "refused", name: path, reason: item.refusal };
      continue;
    }
    for (const method of METHODS) {
      if (!isJsonObject(item.value[method])) continue;
      const operation = attempt(() => readOperation(reading, { path, method, item: item.value }));
      const name = `${method.toUpperCase()} ${path}`;
      if ("refusal" in operation) yield { kind: "refused", name, reason: operation.refusal };
      else yield { kind: "operation", operation };
    }
  }
}

interface Found {
  readonly path: string;
  readonly method: (typeof METHODS)[number];
  readonly item: JsonObject;
}

function readOperation(reading: Reading, { path: written, method, item }: Found): DescribedOperation {
  const { root, dialect, references, security, document, baseUrl } = reading;
  const raw = asObject(references.follow(item[method]));
  if (method === "trace") throw unsupportedOperation("uses the method TRACE, which is never sent");
  const path = checkPath(written);
  const merged = mergeParameters([item["parameters"], raw["parameters"]], references);
  const stated = merged
    .filter((one) => !security.isCredential(String(one["in"]), String(one["name"])))
    .flatMap((one) => toParameter(one, references) ?? []);
  const parameters = withPathParameters(path, stated);
  const body =
    dialect === "2.0"
      ? toBodyOfParameters(merged, raw["consumes"] ?? root["consumes"])
      : toDescribedBody(raw["requestBody"], references);
  const id = asText(raw["operationId"]);
  const summary = toPlainLine(raw["summary"] ?? item["summary"], 300);
  const description = toPlainText(raw["description"] ?? item["description"], 4_000);
  const category = toPlainLine(asList(raw["tags"])[0], 80);
  const documentation = toWebAddress(asObject(raw["externalDocs"])["url"]);
  const address = addressOf(asList(raw["servers"] ?? item["servers"])[0], document);
  return {
    key: `${method.toUpperCase()} ${written}`,
    method: method.toUpperCase(),
    path: path.path,
    ...(id === undefined ? {} : { id }),
    ...(summary === undefined ? {} : { summary }),
    ...(description === undefined ? {} : { description }),
    ...(category === undefined ? {} : { category }),
    ...(documentation === undefined ? {} : { documentation }),
    isDeprecated: raw["deprecated"] === true,
    isOpen: security.isOpen(raw),
    ...(address === undefined || address === baseUrl ? {} : { serverUrl: address }),
    parameters,
    // Drop the body of GET and HEAD: RFC 9110 does not define its meaning, and the gateway never sends one.
    ...(body === undefined || method === "get" || method === "head" ? {} : { body }),
    errors: readErrors(raw["responses"], references),
  };
}

function readErrors(responses: unknown, references: References): Record<string, string> {
  const failures = Object.entries(asObject(responses)).filter(([status]) =>
    /^(?:[45](?:\d\d|XX)|default)$/i.test(status),
  );
  const described = failures.slice(0, MAX_ERRORS).flatMap(([status, raw]) => {
    const response = attempt(() => ({ value: references.follow(raw) }));
    const text = "refusal" in response ? undefined : toPlainLine(asObject(response.value)["description"], 160);
    return text === undefined ? [] : [[status, text] as const];
  });
  return Object.fromEntries(described);
}
