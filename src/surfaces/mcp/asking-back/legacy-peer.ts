// A server's question comes in; it is put to the client as a request of ours, on the connection that the call came from,
// while the call waits. What the client says goes out.
import { ProtocolError, type Server } from "@modelcontextprotocol/server";
import type { CallerPeer, PeerAnswer } from "../../../model/call.js";
import { isJsonObject, type JsonObject } from "../../../model/json.js";
import { underSignals } from "../../../util/under-signals.js";
import type { RequestContext } from "../request-context.js";
import { toLegacyParams } from "./era-params.js";

/** Longer than any call may take: it is the call's end that takes a question back. */
const LONGEST_MS = 24 * 3_600_000;
const INTERNAL_ERROR = -32_603;

export interface LegacyPeerParts {
  /** Of which there is one for each client. */
  readonly client: Server;
  readonly capabilities: JsonObject;
  /** Nothing that the client says is heard any more. */
  readonly deaf: AbortSignal;
}

/** Answers go to the server as they are: whether they fit is the server's to judge. */
const ANY_RESULT = {
  "~standard": {
    version: 1 as const,
    vendor: "anygpt",
    validate: (value: unknown) => ({ value }),
  },
};

export function toLegacyPeer({ mcpReq }: RequestContext, parts: LegacyPeerParts): CallerPeer {
  const { client, capabilities, deaf } = parts;
  return {
    client,
    capabilities,
    async request({ method, params }, signal) {
      try {
        const request = { method, params: toLegacyParams(method, params) };
        const result: unknown = await underSignals([mcpReq.signal, deaf, signal], (ended) =>
          mcpReq.send(request, ANY_RESULT, { timeout: LONGEST_MS, signal: ended }),
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
  return { kind: "error", code: INTERNAL_ERROR, message: `The client did not answer ${method}.` };
}
