// Verifies a signed token. Returns its actor if the issuer issued the token for this gateway and the token is valid
// now.
import { createHash } from "node:crypto";
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { Actor } from "../../../model/actor.js";
import { missingScopes } from "../../../policy/scopes.js";
import type { Identity, VerifySigned } from "../identity.js";
import { tokenScope, viewName } from "../token-options.js";
import type { OAuthOptions } from "./options.js";

export interface VerifyTokenParts {
  readonly options: OAuthOptions;
  readonly keys: JWTVerifyGetKey;
  readonly now: () => number;
  /** Receives a message if the keys for verifying a token cannot be fetched. */
  readonly log: (message: string) => void;
}

/** The allowed difference between the clocks of the issuer and the gateway. */
const SKEW_SECONDS = 60;
/**
 * The accepted values of the header `typ`: access tokens (RFC 9068) and `jwt`, which most issuers use. Other values
 * mark tokens for other purposes.
 */
const TYPES: ReadonlySet<string> = new Set(["at+jwt", "application/at+jwt", "jwt"]);
const INVALID: Identity = { kind: "invalid" };

export function createVerify({ options, keys, now, log }: VerifyTokenParts): VerifySigned {
  const { issuer, audience, algorithms } = options;
  return async (token) => {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        issuer,
        audience: [...audience],
        algorithms: [...algorithms],
        clockTolerance: SKEW_SECONDS,
        currentDate: new Date(now()),
        requiredClaims: ["exp"],
      });
      if (!TYPES.has((protectedHeader.typ ?? "jwt").toLowerCase())) return INVALID;
      return toIdentity(payload, options);
    } catch (error) {
      if (isAboutToken(error)) return INVALID;
      log(`The keys of ${issuer} could not be fetched: ${error instanceof Error ? error.message : String(error)}`);
      return { kind: "unverifiable" };
    }
  };
}

/** Whether the error is caused by the token, not by a failure to fetch the keys. */
function isAboutToken(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  if (!(error instanceof errors.JOSEError)) return false;
  // `jose` throws the base class if the response with the keys has a status other than 200 or is not JSON.
  return error.constructor !== errors.JOSEError;
}

function toIdentity(payload: JWTPayload, options: OAuthOptions): Identity {
  const subject = payload[options.actorClaim];
  if (typeof subject !== "string" || subject === "" || subject.length > MAX_CLAIM_LENGTH) return INVALID;
  const scopes = toScopes(payload[options.scopesClaim]);
  const missing = missingScopes(options.requiredScopes, scopes);
  if (missing.length > 0) return { kind: "insufficient", scopes: options.requiredScopes };
  const view = viewOf(payload, options);
  if (view === undefined && options.viewClaim !== undefined) return { kind: "insufficient", scopes: [] };
  const actor: Actor = { id: toActorId(options.issuer, subject), surface: "http", scopes };
  const until = ((payload.exp ?? 0) + SKEW_SECONDS) * 1000;
  return { kind: "known", actor: view === undefined ? actor : { ...actor, view }, until };
}

const MAX_CLAIM_LENGTH = 1024;
const MAX_SCOPES = 200;

function toScopes(claim: unknown): string[] {
  const words: unknown[] = typeof claim === "string" ? claim.split(" ") : Array.isArray(claim) ? claim : [];
  const scopes = words.filter((word): word is string => tokenScope.safeParse(word).success);
  return [...new Set(scopes)].slice(0, MAX_SCOPES);
}

function viewOf(payload: JWTPayload, { viewClaim, views, view }: OAuthOptions): string | undefined {
  const claimed = viewClaim === undefined ? undefined : payload[viewClaim];
  if (typeof claimed !== "string") return claimed === undefined ? view : undefined;
  const named = views === undefined ? claimed : Object.hasOwn(views, claimed) ? views[claimed] : undefined;
  return viewName.safeParse(named).data;
}

/** Subjects that can be written to the audit log unchanged. */
const PLAIN = /^[\w.@|:+-]{1,128}$/;

/** Returns the actor id for a subject of an issuer. It never changes and is different for every subject. */
export function toActorId(issuer: string, subject: string): string {
  const name = PLAIN.test(subject) ? subject : `~${hash(subject)}`;
  return `oauth:${hash(issuer).slice(0, 12)}/${name}`;
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
