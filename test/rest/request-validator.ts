import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import * as OpenApiValidator from "express-openapi-validator";
import { isJsonObject, type JsonObject } from "../../src/model/json.js";
import { stop } from "./loopback.js";

/** The result of the validator for a request. */
export type Judgement =
  | { readonly kind: "valid"; readonly path: JsonObject; readonly query: JsonObject; readonly body: unknown }
  | { readonly kind: "invalid"; readonly reason: string };

export interface Judge {
  /** The base URL for requests, including the base path of the document. */
  readonly baseUrl: string;
  /** Of the latest request. */
  latest(): Judgement | undefined;
  forget(): void;
  stop(): Promise<void>;
}

/** Paths that the validator cannot parse or distinguish from another. */
export function unjudgedPaths(document: JsonObject): ReadonlySet<string> {
  const paths = Object.keys(isJsonObject(document["paths"]) ? document["paths"] : {});
  const shapeOf = (path: string): string => path.replace(/\{[^}]*\}/g, "{}");
  const isTwin = (path: string): boolean => paths.some((other) => other !== path && shapeOf(other) === shapeOf(path));
  return new Set(paths.filter((path) => path.includes("?") || /\{\w*[^\w}]/.test(path) || isTwin(path)));
}

const BASE = "/base/v1";
const MAX_BODY_SIZE = "50mb";

/** A local server that validates every request against the document with express-openapi-validator. */
export async function openJudge(document: JsonObject): Promise<Judge> {
  let latest: Judgement | undefined;
  const app = express();
  app.set("query parser", "extended");
  app.use(express.json({ limit: MAX_BODY_SIZE, strict: false, type: isJsonType }));
  app.use(express.urlencoded({ limit: MAX_BODY_SIZE, extended: true }));
  app.use(express.text({ limit: MAX_BODY_SIZE, type: ["text/*", "application/xml"] }));
  app.use(express.raw({ limit: MAX_BODY_SIZE, type: isOtherType }));
  app.use(readCookies);
  const plain = validatorFor(document, false);
  let forForms: RequestHandler | undefined;
  app.use((request, response, next) => {
    if (isForm(request)) forForms ??= validatorFor(document, "array");
    return (isForm(request) && forForms !== undefined ? forForms : plain)(request, response, next);
  });
  const accept: RequestHandler = (request, response) => {
    const { openapi } = request as unknown as { openapi?: { pathParams?: JsonObject } };
    latest = { kind: "valid", path: openapi?.pathParams ?? {}, query: request.query, body: request.body };
    response.json({});
  };
  const refuse: ErrorRequestHandler = (error: Refusal, request, response, next) => {
    if (isMistaken(error, request)) return accept(request, response, next);
    latest = { kind: "invalid", reason: `${error.message} ${JSON.stringify(error.errors ?? error.name)}` };
    response.status(418).json({ message: "invalid" });
  };
  app.use(accept);
  app.use(refuse);
  const server = createServer({ maxHeaderSize: 1024 * 1024 }, app);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${BASE}`,
    latest: () => latest,
    forget: () => (latest = undefined),
    stop: () => stop(server),
  };
}

/** In a form every value is text and a list may have one item: only there types must be guessed. */
function validatorFor(document: JsonObject, coerceTypes: false | "array"): RequestHandler {
  const validator = OpenApiValidator.middleware({
    apiSpec: { ...prepare(document), servers: [{ url: BASE }] } as never,
    validateApiSpec: false,
    validateRequests: { allErrors: true, coerceTypes },
    validateResponses: false,
    validateSecurity: false,
    validateFormats: false,
  });
  return express.Router().use(validator as unknown as RequestHandler[]);
}

interface Refusal extends Error {
  readonly status?: number;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

/**
 * Works around the validator: it requires a type even for an omitted optional body; it applies `readOnly`, which concerns
 * members of objects, to parameters too; and it reports missing members of a deep object that was never sent.
 */
function isMistaken({ status, errors = [] }: Refusal, request: IncomingMessage): boolean {
  const isAboutNothing = ({ path, message }: { path: string; message: string }): boolean => {
    const [place, name = ""] = path.split("/").slice(1);
    if (place === "params") return message === "is read-only";
    return place === "query" && !decodeURIComponent(request.url ?? "").includes(name);
  };
  if (errors.length > 0 && errors.every(isAboutNothing)) return true;
  if (status !== 415) return false;
  const { openapi } = request as unknown as { openapi?: { schema?: { requestBody?: { required?: boolean } } } };
  const requestBody = openapi?.schema?.requestBody;
  return requestBody !== undefined && requestBody.required !== true && typeOf(request) === "";
}

/** Some operations have other server addresses; here all share one. The validator also fails on `nullable` without a type. */
function prepare(document: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(document), (key, value: unknown) => {
    if (key === "servers" || (key.startsWith("/") && key.includes("?"))) return undefined;
    if (!isJsonObject(value) || value["nullable"] === undefined || value["type"] !== undefined) return value;
    const { nullable: _, ...rest } = value;
    return rest;
  }) as JsonObject;
}

function typeOf(request: IncomingMessage): string {
  return (request.headers["content-type"] ?? "").split(";")[0] ?? "";
}

function isJsonType(request: IncomingMessage): boolean {
  return /[/+]json$/.test(typeOf(request));
}

function isForm(request: IncomingMessage): boolean {
  return /urlencoded$|^multipart/.test(typeOf(request));
}

function isOtherType(request: IncomingMessage): boolean {
  return !/json$|urlencoded$|^multipart|^text|xml$|^$/.test(typeOf(request));
}

const readCookies: RequestHandler = (request, _response, next) => {
  const pairs = (request.headers.cookie ?? "").split("; ").filter(Boolean);
  const cookies = pairs.map((pair) => [
    pair.slice(0, pair.indexOf("=")),
    decodeURIComponent(pair.slice(pair.indexOf("=") + 1)),
  ]);
  Object.assign(request, { cookies: Object.fromEntries(cookies) as Record<string, string> });
  next();
};
