import type { IncomingMessage } from "node:http";
import { pipeline, type Readable, type Transform } from "node:stream";
import * as zlib from "node:zlib";
import { DiscoveryError } from "../../errors.js";
import { connectionLost, toNetworkError, responseTooLarge } from "./network-error.js";

const UNPACKERS: Readonly<Record<string, () => Transform>> = {
  gzip: zlib.createGunzip,
  "x-gzip": zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  // Available in Node 22.15 and later.
  ...("createZstdDecompress" in zlib ? { zstd: zlib.createZstdDecompress as () => Transform } : {}),
};

/** The supported content encodings, for the `Accept-Encoding` header. */
export const ACCEPTED_ENCODINGS = ["gzip", "deflate", "br", "zstd"].filter((name) => name in UNPACKERS).join(", ");

/**
 * Yields the decompressed bytes of a response. Throws if they exceed `maxBytes`, so that a decompression bomb does no
 * harm.
 */
export async function* unpack(
  response: IncomingMessage,
  { server, maxBytes }: { readonly server: string; readonly maxBytes: number },
): AsyncGenerator<Buffer, void, undefined> {
  let bytes = 0;
  try {
    const encoding = (response.headers["content-encoding"] ?? "identity").trim().toLowerCase();
    for await (const chunk of unpacked(response, encoding, server)) {
      bytes += (chunk as Buffer).byteLength;
      if (bytes > maxBytes) throw responseTooLarge(server, maxBytes);
      yield chunk as Buffer;
    }
    // Check completeness: Node ends a body without an error if the server closes the connection too early.
    if (!response.complete) throw connectionLost(server, "ECONNRESET", undefined);
  } catch (error) {
    throw toNetworkError(server, error, true);
  } finally {
    response.destroy();
  }
}

function unpacked(response: IncomingMessage, encoding: string, server: string): Readable {
  if (encoding === "identity" || encoding === "" || hasNoBody(response)) return response;
  const create = UNPACKERS[encoding];
  if (create === undefined) {
    throw new DiscoveryError("TOOL_EXECUTION_ERROR", `${server} uses a content encoding that is not supported.`, {
      hint: "Check what the call has done before you repeat it.",
      facts: { encoding: encoding.slice(0, 40) },
      server,
      executed: "unknown",
    });
  }
  return pipeline(response, create(), () => undefined);
}

function hasNoBody({ statusCode, headers }: IncomingMessage): boolean {
  return statusCode === 204 || statusCode === 304 || headers["content-length"] === "0";
}
