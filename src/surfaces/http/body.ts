// Reads the body of a request. Returns its JSON object, or throws the reason why the body is rejected.
import type { IncomingMessage, ServerResponse } from "node:http";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import { parseStrictJson } from "../../util/json/parse-strict.js";
import { isMalformed, JSON_LIMITS, type JsonViolation } from "../../util/json/violation.js";
import { httpRefusal } from "./refusal.js";

export interface HttpExchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

export interface RequestBody {
  readonly value: JsonObject;
  /**
   * Ambiguities such as duplicate keys, which JSON parsing would silently resolve. If there are any, `value` must not
   * be used.
   */
  readonly flaws: readonly JsonViolation[];
}

const MAX_BYTES = JSON_LIMITS.maxBytes;

/** `onBytes`: called before the body is parsed; it may throw. */
export async function readRequestBody(
  exchange: HttpExchange,
  onBytes: (bytes: Buffer) => void = () => undefined,
): Promise<RequestBody> {
  const bytes = await readJsonBytes(exchange);
  onBytes(bytes);
  return parseBody(bytes);
}

/**
 * Reads a body. Rejects it before reading if it is not JSON, is compressed or is too large. Content-Type:
 * application/json is required because browsers send it cross-origin only after a preflight request. Compression is
 * rejected because the uncompressed size would be unknown.
 */
export async function readJsonBytes({ incoming, outgoing }: HttpExchange): Promise<Buffer> {
  const { headers } = incoming;
  if (!isJson(headers["content-type"]))
    throw httpRefusal(415, NOT_JSON, { headers: { "accept-post": "application/json" } });
  if ((headers["content-encoding"] ?? "identity").toLowerCase() !== "identity") {
    throw httpRefusal(415, COMPRESSED, { headers: { "accept-encoding": "identity" } });
  }
  if (Number(headers["content-length"] ?? 0) > MAX_BYTES) throw httpRefusal(413, TOO_LARGE);
  if (headers.expect !== undefined) outgoing.writeContinue();
  return await readBytes(incoming);
}

export function assertNoBody({ headers }: IncomingMessage): void {
  const isEmpty = headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0;
  if (!isEmpty)
    throw httpRefusal(
      400,
      ["The request has a body, but its method does not allow one.", "Send the request without a body."],
      {
        closes: true,
      },
    );
}

function isJson(contentType = ""): boolean {
  return /^application\/json\s*(?:;\s*charset=(?:utf-8|"utf-8")\s*)?$/i.test(contentType.trim());
}

/**
 * Reads the body. If it is too large, the stream is not destroyed, because the response is sent on the same connection.
 */
function readBytes(incoming: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (act: () => void): void => {
      incoming.off("data", take).off("end", end).off("error", fail).off("close", fail);
      act();
    };
    const take = (chunk: Buffer): void => {
      bytes += chunk.byteLength;
      chunks.push(chunk);
      if (bytes <= MAX_BYTES) return;
      incoming.pause();
      settle(() => reject(httpRefusal(413, TOO_LARGE)));
    };
    const end = (): void => settle(() => resolve(Buffer.concat(chunks)));
    const fail = (): void => settle(() => reject(httpRefusal(400, CUT_OFF, { closes: true })));
    incoming.on("data", take).on("end", end).on("error", fail).on("close", fail);
  });
}

function parseBody(bytes: Buffer): RequestBody {
  const strict = parseStrictJson(bytes);
  if (strict.kind === "value") {
    if (isJsonObject(strict.value)) return { value: strict.value, flaws: [] };
    throw httpRefusal(400, [
      "The body is not an object.",
      "Send the tool's arguments as one JSON object; send {} if the tool has no parameters.",
    ]);
  }
  const { violations } = strict;
  const worst = violations.find(isMalformed);
  if (worst === undefined) return { value: {}, flaws: violations };
  throw httpRefusal(400, [
    `The body ${worst.message}.`,
    "Send the tool's arguments as one JSON object; send {} if the tool has no parameters.",
  ]);
}

const NOT_JSON = [
  "The Content-Type of the body is not JSON.",
  "Send JSON in UTF-8, with the header Content-Type: application/json.",
] as const;
const COMPRESSED = [
  "The body is compressed.",
  "Send the body uncompressed, without the header Content-Encoding.",
] as const;
const TOO_LARGE = [`The body is larger than ${MAX_BYTES} bytes.`, "Send smaller arguments."] as const;
const CUT_OFF = ["The connection was closed before the end of the body.", "Send the request again."] as const;
