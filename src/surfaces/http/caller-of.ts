import type { IncomingMessage } from "node:http";
import type { Actor } from "../../model/actor.js";
import { PROOF_HEADER } from "../../util/gateway-proof.js";
import type { Admission } from "./admission.js";
import { toChallenge } from "./challenge.js";
import type { Identity } from "./identity.js";
import { type RefusedRequest, httpRefusal } from "./refusal.js";

export interface HttpCaller {
  readonly actor: Actor;
  /** When the token expires, in milliseconds since 1970. */
  readonly until?: number;
}

/** Authenticates the caller. This happens before routing, so that unknown callers cannot find out which paths exist. */
export async function callerOf(incoming: IncomingMessage, admission: Admission): Promise<HttpCaller> {
  const { key: source, isLocal } = admission.sourceOf(incoming);
  const { authorization } = incoming.headers;
  const identity = await admission.identify({ authorization, source, isLocal });
  if (identity.kind === "known") return identity;
  throw toRefusal(identity, incoming, admission);
}

function toRefusal(
  identity: Exclude<Identity, { kind: "known" }>,
  incoming: IncomingMessage,
  { options, proofFor }: Admission,
): RefusedRequest {
  if (identity.kind === "limited") {
    const seconds = Math.ceil(identity.retryAfterMs / 1000);
    return httpRefusal(429, TOO_MANY_INVALID, { headers: { "retry-after": String(seconds) } });
  }
  if (identity.kind === "unverifiable") return httpRefusal(503, UNVERIFIABLE, { headers: { "retry-after": "5" } });
  if (identity.kind === "insufficient") {
    const { scopes } = identity;
    const challenge = toChallenge({ incoming, options, error: "insufficient_scope", scopes });
    return httpRefusal(403, INSUFFICIENT, { headers: { "www-authenticate": challenge } });
  }
  const error = identity.kind === "invalid" ? ({ error: "invalid_token" } as const) : {};
  const proof = identity.kind === "anonymous" ? proofFor(incoming) : undefined;
  return httpRefusal(401, UNKNOWN_CALLER, {
    headers: {
      "www-authenticate": toChallenge({ incoming, options, ...error }),
      ...(proof === undefined ? {} : { [PROOF_HEADER]: proof }),
    },
  });
}

const UNKNOWN_CALLER = [
  "The request has no valid token.",
  "Send the header Authorization: Bearer TOKEN. Ask the operator of the gateway for a token; on the gateway's machine, the token is in the file http.token in the state folder.",
] as const;
const TOO_MANY_INVALID = [
  "Too many requests with invalid tokens came from this IP address.",
  "Send a valid token; it is accepted at any time. Before another attempt with an uncertain one, wait for the number of seconds in the response header Retry-After.",
] as const;
const UNVERIFIABLE = ["The token cannot be verified at the moment.", "Send the request again later."] as const;
const INSUFFICIENT = [
  "The token lacks scopes or claims that this gateway requires.",
  "Get a token with the scopes in the header WWW-Authenticate, or ask the operator of the gateway.",
] as const;
