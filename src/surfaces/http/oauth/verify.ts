// Input: a signed token. Output: its actor, if the issuer issued it for this gateway and it is valid now.
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
  /** Receives the reason if a token could not be verified. */
  readonly log: (message: string) => void;
}

/** The allowed clock difference. */
const SKEW_SECONDS = 60;
/** Access tokens (RFC 9068), and the type that most issuers use. Tokens of other types are for other purposes. */
const TYPES: ReadonlySet<string> = new Set(["at+jwt", "application/at+jwt", "jwt"]);
const WRONG: Identity = { kind: "wrong" };

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
      if (!TYPES.has((protectedHeader.typ ?? "jwt").toLowerCase())) return WRONG;
      return toIdentity(payload, options);
    } catch (error) {
      if (isAboutToken(error)) return WRONG;
      log(`The keys of ${issuer} could not be fetched: ${error instanceof Error ? error.message : String(error)}`);
      return { kind: "undecided" };
    }
  };
}

/** Whether the error concerns the token, and not the fetching of keys. */
function isAboutToken(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  if (!(error instanceof errors.JOSEError)) return false;
  // The library throws the base class if the key response has another status or is not JSON.
  return error.constructor !== errors.JOSEError;
}

function toIdentity(payload: JWTPayload, options: OAuthOptions): Identity {
  const who = payload[options.actorClaim];
  if (typeof who !== "string" || who === "" || who.length > LONGEST_CLAIM) return WRONG;
  const scopes = toScopes(payload[options.scopesClaim]);
  const missing = missingScopes(options.requiredScopes, scopes);
  if (missing.length > 0) return { kind: "insufficient", scopes: options.requiredScopes };
  const view = viewOf(payload, options);
  if (view === undefined && options.viewClaim !== undefined) return { kind: "insufficient", scopes: [] };
  const actor: Actor = { id: toActorId(options.issuer, who), surface: "http", scopes };
  const until = ((payload.exp ?? 0) + SKEW_SECONDS) * 1000;
  return { kind: "known", actor: view === undefined ? actor : { ...actor, view }, until };
}

const LONGEST_CLAIM = 1024;
const MOST_SCOPES = 200;

function toScopes(claim: unknown): string[] {
  const words: unknown[] = typeof claim === "string" ? claim.split(" ") : Array.isArray(claim) ? claim : [];
  const scopes = words.filter((word): word is string => tokenScope.safeParse(word).success);
  return [...new Set(scopes)].slice(0, MOST_SCOPES);
}

function viewOf(payload: JWTPayload, { viewClaim, views, view }: OAuthOptions): string | undefined {
  const said = viewClaim === undefined ? undefined : payload[viewClaim];
  if (typeof said !== "string") return said === undefined ? view : undefined;
  const named = views === undefined ? said : Object.hasOwn(views, said) ? views[said] : undefined;
  return viewName.safeParse(named).data;
}

/** Characters that can be written to the audit log unchanged. */
const PLAIN = /^[\w.@|:+-]{1,128}$/;

/** A permanent id for one subject of one issuer, different for every other subject. */
export function toActorId(issuer: string, who: string): string {
  const subject = PLAIN.test(who) ? who : `~${hash(who)}`;
  return `oauth:${hash(issuer).slice(0, 12)}/${subject}`;
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
