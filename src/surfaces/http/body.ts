// The body of a request comes in; the object that it holds goes out, or why it is not read.
import type { IncomingMessage, ServerResponse } from "node:http";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import { parseStrictJson } from "../../util/json/parse-strict.js";
import { isMalformed, JSON_LIMITS, type JsonViolation } from "../../util/json/violation.js";
import { refuse } from "./refusal.js";

export interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

export interface Body {
  readonly value: JsonObject;
  /** What reading it as JSON would silently change; then the value is not to be used. */
  readonly flaws: readonly JsonViolation[];
}

const MOST_BYTES = JSON_LIMITS.maxBytes;

/** No page can make a browser send this type without asking first, and nothing compressed has to be unpacked to be measured. */
export async function readBody(exchange: Exchange): Promise<Body> {
  return parseBody(await readJsonBytes(exchange));
}

/** What is not JSON, compressed or too large is refused before any of it is read. */
export async function readJsonBytes({ incoming, outgoing }: Exchange): Promise<Buffer> {
  const { headers } = incoming;
  if (!isJson(headers["content-type"])) throw refuse(415, NOT_JSON, { headers: { "accept-post": "application/json" } });
  if ((headers["content-encoding"] ?? "identity").toLowerCase() !== "identity") {
    throw refuse(415, COMPRESSED, { headers: { "accept-encoding": "identity" } });
  }
  if (Number(headers["content-length"] ?? 0) > MOST_BYTES) throw refuse(413, TOO_LARGE);
  if (headers.expect !== undefined) outgoing.writeContinue();
  return await readBytes(incoming);
}

export function assertNoBody({ headers }: IncomingMessage): void {
  const isEmpty = headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0;
  if (!isEmpty)
    throw refuse(400, ["The request has a body, which its method does not take.", "Send it without one."], {
      closes: true,
    });
}

function isJson(contentType = ""): boolean {
  return /^application\/json\s*(?:;\s*charset=(?:utf-8|"utf-8")\s*)?$/i.test(contentType.trim());
}

/** The stream is not destroyed by what is too much: the answer still has to go out on its connection. */
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
      if (bytes <= MOST_BYTES) return;
      incoming.pause();
      settle(() => reject(refuse(413, TOO_LARGE)));
    };
    const end = (): void => settle(() => resolve(Buffer.concat(chunks)));
    const fail = (): void => settle(() => reject(refuse(400, CUT_OFF, { closes: true })));
    incoming.on("data", take).on("end", end).on("error", fail).on("close", fail);
  });
}

function parseBody(bytes: Buffer): Body {
  const strict = parseStrictJson(bytes);
  if (strict.kind === "value") {
    if (isJsonObject(strict.value)) return { value: strict.value, flaws: [] };
    throw refuse(400, [
      "The body is not an object.",
      "Send the tool's arguments as one JSON object; {} if it takes none.",
    ]);
  }
  const { violations } = strict;
  const worst = violations.find(isMalformed);
  if (worst === undefined) return { value: {}, flaws: violations };
  throw refuse(400, [
    `The body ${worst.message}.`,
    "Send the tool's arguments as one JSON object; {} if it takes none.",
  ]);
}

const NOT_JSON = [
  "The body is not said to be JSON.",
  "Send JSON in UTF-8, with the header Content-Type: application/json.",
] as const;
const COMPRESSED = ["The body is compressed.", "Send it as it is, without Content-Encoding."] as const;
const TOO_LARGE = [`The body is larger than ${MOST_BYTES} bytes.`, "Send smaller arguments."] as const;
const CUT_OFF = ["The body was cut off.", "Send the request again."] as const;
