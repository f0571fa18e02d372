// Forwards requests from a server (elicitation, sampling, roots) to a legacy client (MCP before 2026-07-28) while its
// call is in progress, and returns the client's response.
import { ProtocolError, type Server } from "@modelcontextprotocol/server";
import type { CallerPeer, PeerAnswer } from "../../../model/call.js";
import { isJsonObject, type JsonObject } from "../../../model/json.js";
import { withAnySignal } from "../../../util/with-any-signal.js";
import type { RequestContext } from "../request-context.js";
import { toLegacyParams } from "./era-params.js";

/**
 * The timeout of a request to the client. It is longer than any call may take: the request is cancelled when the call
 * ends.
 */
const REQUEST_TIMEOUT_MS = 24 * 3_600_000;
const INTERNAL_ERROR = -32_603;

export interface LegacyPeerParts {
  /** The SDK's server object for this client; each client has a separate one. */
  readonly client: Server;
  readonly capabilities: JsonObject;
  /** Aborts when the gateway stops reading messages from the client. */
  readonly inputClosed: AbortSignal;
}

/** A schema that accepts every response of the client, because the server that sent the request validates it. */
const ANY_RESULT = {
  "~standard": {
    version: 1 as const,
    vendor: "anygpt",
    validate: (value: unknown) => ({ value }),
  },
};

export function toLegacyPeer({ mcpReq }: RequestContext, parts: LegacyPeerParts): CallerPeer {
  const { client, capabilities, inputClosed } = parts;
  return {
    client,
    capabilities,
    async request({ method, params }, signal) {
      try {
        const request = { method, params: toLegacyParams(method, params) };
        const result: unknown = await withAnySignal([mcpReq.signal, inputClosed, signal], (ended) =>
          mcpReq.send(request, ANY_RESULT, { timeout: REQUEST_TIMEOUT_MS, signal: ended }),
        );
        return isJsonObject(result) ? { kind: "result", result } : noAnswer(method);
      } catch (error) {
        return toRefusal(error, method);
      }
    },
    notify: (method, params) => void client.notification({ method, params }).catch(() => undefined),
  };
}

function toRefusal(error: unknown, method: string): PeerAnswer {
  if (!(error instanceof ProtocolError)) return noAnswer(method);
  const { code, message, data } = error;
  return { kind: "error", code, message, ...(data === undefined ? {} : { data }) };
}

function noAnswer(method: string): PeerAnswer {
  return { kind: "error", code: INTERNAL_ERROR, message: `The client did not respond to ${method}.` };
}
