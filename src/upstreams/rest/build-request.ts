// Builds one HTTP request from an operation and the arguments of a call; it does not send it. The request cannot leave
// the base address, and an argument can only set headers and parameters that the API document names.
import { DiscoveryError } from "../../errors.js";
import type { JsonObject } from "../../model/json.js";
import type { RestOperation, RestParameter } from "../../model/operation.js";
import { type BaseAddress, below } from "./base-address.js";
import { toRequestBody } from "./body.js";
import { encode, encodeReserved } from "./encode.js";
import { type Headers, toHeaders } from "./headers.js";
import { expandPath } from "./path.js";
import { toPairs } from "./style.js";
import type { UploadParts } from "./upload.js";

const METHODS = new Set(["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "QUERY"]);

export interface BuildParts {
  readonly server: string;
  readonly base: BaseAddress;
  readonly uploads: UploadParts;
  /** Names of headers that the configuration sets, in lower case. */
  readonly reservedHeaders: ReadonlySet<string>;
}

export interface RestRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** Each entry has the form `name=value`. */
  readonly cookies: readonly string[];
  readonly body?: Buffer;
}

export async function buildRequest(
  operation: RestOperation,
  values: JsonObject,
  parts: BuildParts,
): Promise<RestRequest> {
  const { parameters, method } = operation;
  if (!METHODS.has(method)) throw notSendable(parts.server, "its method is not an HTTP method");
  const [template = "", fixedQuery = ""] = (operation.path.split("#")[0] ?? "").split("?");
  const path = expandPath(template, parameters, values);
  const query = [fixedQuery, ...pairsIn("query", parameters, values)].filter((piece) => piece !== "").join("&");
  const url = below(parts.base, path, query);
  if (url === undefined) throw notSendable(parts.server, "its path leads outside the base address");
  const headers = toHeaders(parameters, values, parts.reservedHeaders);
  const body = operation.body === undefined ? undefined : await toRequestBody(operation.body, values, parts.uploads);
  return {
    method,
    url,
    headers: body === undefined ? headers : { ...headers, "content-type": body.contentType },
    cookies: pairsIn("cookie", parameters, values),
    ...(body === undefined ? {} : { body: body.bytes }),
  };
}

function pairsIn(location: "query" | "cookie", parameters: readonly RestParameter[], values: JsonObject): string[] {
  return parameters
    .filter((parameter) => parameter.in === location)
    .flatMap((parameter) => {
      const value = values[parameter.argument];
      return value === undefined || value === null ? [] : toQuery(parameter, value);
    });
}

function toQuery(parameter: RestParameter, value: unknown): string[] {
  const { name, argument } = parameter;
  const write = parameter.allowReserved ? encodeReserved : encode;
  if (parameter.isJson) return [`${encode(name, argument)}=${write(JSON.stringify(value), argument)}`];
  return toPairs(name, value, parameter).map(({ name: key, parts, separator }) => {
    const joined = parts
      .map((part) => write(part, argument))
      .join(separator === "," ? "," : encode(separator, argument));
    return `${encode(key, argument)}=${joined}`;
  });
}

function notSendable(server: string, why: string): DiscoveryError {
  return new DiscoveryError("TOOL_EXECUTION_ERROR", `The operation of ${server} cannot be sent: ${why}.`, {
    hint: "Correct the API document, or remove the operation from it.",
    server,
  });
}
