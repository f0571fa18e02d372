// Converts an error response from the API into a DiscoveryError: the API's message, advice, and whether the operation
// was executed.
import { DiscoveryError, type Executed } from "../../errors.js";
import { isJsonObject } from "../../model/json.js";
import type { RestOperation } from "../../model/operation.js";
import type { RestConnection } from "../../model/server.js";
import type { Redact } from "../../util/secrets.js";
import { cutAtWord, toOneLine } from "../../util/text.js";

const MAX_MESSAGE_LENGTH = 500;

/**
 * Status codes with which an API, or a proxy in front of it, rejects a request without executing it (RFC 9110, 6585,
 * 4918). Other 4xx codes, such as a declined payment or a conflict, come from the operation itself.
 */
const REJECTED_UNEXECUTED = new Set([
  300, 301, 304, 305, 307, 308, 400, 401, 403, 404, 405, 406, 407, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422,
  423, 424, 425, 426, 428, 429, 431, 451, 501, 505,
]);
/**
 * Status codes after which it is unknown whether the operation was executed: an intermediary that responds with one of
 * them may have passed the request on.
 */
const EXECUTION_UNKNOWN = new Set([302, 408, 499]);

export function executedAt(status: number): Executed {
  if (REJECTED_UNEXECUTED.has(status)) return "no";
  return status >= 500 || EXECUTION_UNKNOWN.has(status) ? "unknown" : "yes";
}

export interface FailedAnswer {
  readonly server: string;
  readonly connection: RestConnection;
  readonly operation: RestOperation;
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  readonly retryAfterMs: number | undefined;
  readonly redact: Redact;
}

export function toApiError(answer: FailedAnswer): DiscoveryError {
  const { server, status, retryAfterMs } = answer;
  const isRefused = status === 401 || status === 403;
  const apiText = apiMessage(answer);
  const what = isRefused ? "rejected the credentials" : "answered with an error";
  const message = `${server} ${what} (HTTP ${status})${apiText === undefined ? "" : `: ${apiText.replace(/[.:\s]+$/, "")}`}.`;
  return new DiscoveryError(isRefused ? "UPSTREAM_UNAUTHORIZED" : "TOOL_EXECUTION_ERROR", message, {
    hint: hintFor(answer),
    facts: {
      status,
      ...(apiText === undefined ? {} : { api_message: apiText }),
      ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
    },
    server,
    executed: executedAt(status),
  });
}

function hintFor(answer: FailedAnswer): string {
  const { operation, status } = answer;
  const errors = operation.errors ?? {};
  const described = errors[String(status)] ?? errors[`${Math.floor(status / 100)}XX`];
  const meaning = described === undefined ? "" : ` The API document describes ${status} as: ${oneLine(described, 200)}`;
  return `${adviceFor(answer)}${meaning === "" ? "" : `${meaning.replace(/[.\s]+$/, "")}.`}`;
}

function adviceFor({ server, connection, status, retryAfterMs }: FailedAnswer): string {
  if (status === 401) {
    return connection.auth === undefined
      ? `The request had no credentials. Set adapters.${server}.auth.`
      : `Check ${secretIn(connection.auth.kind, server)}, and the variables that it uses.`;
  }
  if (status === 403)
    return `Check that the credentials in adapters.${server}.auth have the permission for this operation.`;
  if (status === 404) return "Check the identifiers among the arguments.";
  if (status === 429 || retryAfterMs !== undefined) {
    const wait = retryAfterMs === undefined ? "later" : `in ${Math.ceil(retryAfterMs / 1000)} s`;
    return executedAt(status) === "no"
      ? `Call again ${wait}.`
      : `Check what the call has done, then call again ${wait}.`;
  }
  if (status === 402 || status === 409)
    return "The API has processed the request. Read its message before you call again.";
  if (status >= 500 || EXECUTION_UNKNOWN.has(status)) return "Check what the call has done before you repeat it.";
  return "Correct the arguments; the API's message explains the error.";
}

function secretIn(kind: string, server: string): string {
  const member =
    { bearer: "token", basic: "username and password", "api-key": "value" }[kind] ?? "clientId and clientSecret";
  return `${member} in adapters.${server}.auth`;
}

/** The JSON fields in which APIs put their error message, most specific first. */
const MESSAGE_PATHS: readonly (readonly string[])[] = [
  ["error", "message"],
  ["error", "description"],
  ["error", "error_description"],
  ["error_description"],
  ["message"],
  ["detail"],
  ["error_message"],
  ["errorMessage"],
  ["errorSummary"],
  ["msg"],
  ["error", "errors", "0", "message"],
  ["errors", "0", "message"],
  ["errors", "0", "detail"],
  ["errors", "0"],
  ["title"],
  ["error"],
  ["reason"],
  ["fault", "faultstring"],
  ["status", "message"],
  ["0", "message"],
];

export function apiMessage({
  contentType,
  text,
  redact,
}: Pick<FailedAnswer, "contentType" | "text" | "redact">): string | undefined {
  const value = parse(text);
  const found = value === undefined ? plainText(contentType, text) : firstText(value);
  const message = found === undefined ? "" : oneLine(redact(found), MAX_MESSAGE_LENGTH);
  return message === "" ? undefined : message;
}

function firstText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  for (const path of MESSAGE_PATHS) {
    const found = path.reduce<unknown>(memberOf, value);
    if (typeof found === "string" && found.trim() !== "") return found;
  }
  return undefined;
}

function memberOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    return undefined;
  }
}

/** The error message in a body that is not JSON. Of an HTML page, only the title is useful. */
function plainText(contentType: string, text: string): string | undefined {
  if (!/html/.test(contentType) && !/^\s*<(?:!doctype|html)/i.test(text)) return text.slice(0, 4 * MAX_MESSAGE_LENGTH);
  return /<title[^>]{0,200}>([^<]{0,300})<\/title>/i.exec(text.slice(0, 20_000))?.[1];
}

function oneLine(text: string, length: number): string {
  return cutAtWord(toOneLine(text), length);
}
