import type { IncomingMessage } from "node:http";
import type { Actor } from "../../model/actor.js";
import type { Admission } from "./admission.js";
import { toChallenge } from "./challenge.js";
import type { Identity } from "./identity.js";
import { type RefusedRequest, refuse } from "./refusal.js";

export interface Caller {
  readonly actor: Actor;
  /** When their token stops to count. */
  readonly until?: number;
}

/** Whether a path exists is told to nobody else. */
export async function callerOf(incoming: IncomingMessage, admission: Admission): Promise<Caller> {
  const { key: source, isLocal } = admission.sourceOf(incoming);
  const { authorization } = incoming.headers;
  const identity = await admission.identify({ authorization, source, isLocal });
  if (identity.kind === "known") return identity;
  throw toRefusal(identity, incoming, admission);
}

function toRefusal(
  identity: Exclude<Identity, { kind: "known" }>,
  incoming: IncomingMessage,
  { options }: Admission,
): RefusedRequest {
  if (identity.kind === "limited") {
    const seconds = Math.ceil(identity.retryAfterMs / 1000);
    return refuse(429, TOO_MANY_WRONG, { headers: { "retry-after": String(seconds) } });
  }
  if (identity.kind === "undecided") return refuse(503, UNDECIDED, { headers: { "retry-after": "5" } });
  if (identity.kind === "insufficient") {
    const { scopes } = identity;
    const challenge = toChallenge({ incoming, options, error: "insufficient_scope", scopes });
    return refuse(403, INSUFFICIENT, { headers: { "www-authenticate": challenge } });
  }
  const error = identity.kind === "wrong" ? ({ error: "invalid_token" } as const) : {};
  return refuse(401, UNKNOWN_CALLER, { headers: { "www-authenticate": toChallenge({ incoming, options, ...error }) } });
}

const UNKNOWN_CALLER = [
  "The request carries no token that this gateway knows.",
  "Send Authorization: Bearer TOKEN with a token that its person gave you; on the gateway's own machine that of the file http.token in its state folder.",
] as const;
const TOO_MANY_WRONG = [
  "Too many wrong tokens came from this address.",
  "Wait as long as Retry-After says, and send a token that the gateway knows.",
] as const;
const UNDECIDED = ["Whether the token is right cannot be told now.", "Send the request again in a moment."] as const;
const INSUFFICIENT = [
  "The token does not say enough for this gateway.",
  "Get one with the scopes that the header WWW-Authenticate names, or ask the person who runs the gateway.",
] as const;
