// A signed token comes in; its caller goes out, if the issuer made it for this gateway and it counts now.
import { createHash } from "node:crypto";
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { Actor } from "../../../model/actor.js";
import { missingScopes } from "../../../policy/scopes.js";
import type { Identity, VerifySigned } from "../identity.js";
import { tokenScope, viewName } from "../token-options.js";
import type { OAuthOptions } from "./options.js";

export interface VerifyParts {
  readonly options: OAuthOptions;
  readonly keys: JWTVerifyGetKey;
  readonly now: () => number;
  /** Hears why nothing could be decided. */
  readonly log: (message: string) => void;
}

/** How far two clocks may be apart. */
const SKEW_SECONDS = 60;
/** Of access tokens (RFC 9068), and the name that most issuers use. A token of any other kind was made for something else. */
const TYPES: ReadonlySet<string> = new Set(["at+jwt", "application/at+jwt", "jwt"]);
const WRONG: Identity = { kind: "wrong" };

export function createVerify({ options, keys, now, log }: VerifyParts): VerifySigned {
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
      log(`The keys of ${issuer} cannot be had: ${error instanceof Error ? error.message : String(error)}`);
      return { kind: "undecided" };
    }
  };
}

/** All that the library says of a token, and nothing of what it says of fetching keys. */
function isAboutToken(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  if (!(error instanceof errors.JOSEError)) return false;
  // The base class is what the library throws when keys come with another status, or as something else than JSON.
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

/** What can stand in a record as it is. */
const PLAIN = /^[\w.@|:+-]{1,128}$/;

/** The same for one caller of one issuer for ever, and for no other. */
export function toActorId(issuer: string, who: string): string {
  const subject = PLAIN.test(who) ? who : `~${hash(who)}`;
  return `oauth:${hash(issuer).slice(0, 12)}/${subject}`;
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
