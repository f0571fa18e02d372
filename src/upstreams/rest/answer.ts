// Converts the body of an HTTP response into a tool result: JSON as structured content, else text, image, audio or
// resource.
import type { CallResult } from "../../model/call.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import { isWithinDepth } from "../../util/depth.js";

/** Maximum nesting depth of a JSON response. JSON serialization of deeper data would exhaust the call stack. */
const MAX_DEPTH = 500;
const TEXT =
  /^(?:text\/.*|application\/(?:.*\+)?(?:json|xml|yaml|x-yaml|javascript|ecmascript|graphql|sql|toml|x-www-form-urlencoded|x-ndjson|ndjson|jsonl|x-jsonlines|jsonlines|json-seq|stream\+json|jwt|http|problem|x-sh)|image\/svg\+xml)$/;

export interface RestResponse {
  readonly method: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  /** The request URL without its query, which may contain an API key. */
  readonly address: string;
}

export function toRestResult(response: RestResponse): CallResult {
  const { bytes, headers, method, status } = response;
  if (method === "HEAD") return toHeadResult(status, headers);
  if (bytes.byteLength === 0) return { content: [{ type: "text", text: emptyNote(status, headers) }] };
  const contentType = mediaType(headers);
  const text = isText(contentType, bytes) ? decode(bytes, headers["content-type"] ?? "") : undefined;
  if (text === undefined) return { content: [toBinaryItem(contentType, response)] };
  const content = [{ type: "text", text }];
  const value = isJson(contentType) ? parse(text) : undefined;
  // The text is exact even for numbers that a double cannot represent; the parsed structure is not. Clients accept
  // only an object as structured content.
  if (value === undefined) return { content };
  return { content, structuredContent: isJsonObject(value) ? value : { result: value } };
}

/** The media type in lower case, without parameters. */
export function mediaType(headers: Readonly<Record<string, string>>): string {
  return (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

function isJson(contentType: string): boolean {
  return /^[\w.-]+\/(?:[\w.+-]+\+)?json$/.test(contentType);
}

function isText(contentType: string, bytes: Buffer): boolean {
  if (contentType !== "") return TEXT.test(contentType) || isJson(contentType);
  return !bytes.includes(0) && !bytes.toString("utf8").includes("\ufffd");
}

function decode(bytes: Buffer, contentType: string): string {
  const charset = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1] ?? "utf-8";
  if (/^utf-?8$/i.test(charset)) return bytes.toString("utf8");
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString("utf8");
  }
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    return isWithinDepth(value, MAX_DEPTH) ? value : undefined;
  } catch {
    return undefined;
  }
}

function toBinaryItem(contentType: string, { bytes, address }: RestResponse): JsonObject {
  const mimeType = contentType === "" ? "application/octet-stream" : contentType;
  const data = bytes.toString("base64");
  const [family] = mimeType.split("/");
  if (family === "image" || family === "audio") return { type: family, data, mimeType };
  return { type: "resource", resource: { uri: address, mimeType, blob: data } };
}

function emptyNote(status: number, { location }: Readonly<Record<string, string>>): string {
  const where = location === undefined ? "" : ` The Location header is ${location.slice(0, 2000)}.`;
  return `The API answered with HTTP ${status} and no content.${where}`;
}

/** A response to HEAD has no body, so the result contains the headers. */
function toHeadResult(status: number, headers: Readonly<Record<string, string>>): CallResult {
  const { "set-cookie": _, ...shown } = headers;
  const value = { status, headers: shown };
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
}
