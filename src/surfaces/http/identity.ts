import { createHash, timingSafeEqual } from "node:crypto";
import { type Actor, localActor } from "../../model/actor.js";

/** Whom a request is from, by what it carries as `Authorization`. */
export type Identity =
  | { readonly kind: "known"; readonly actor: Actor }
  | { readonly kind: "nobody" }
  /** It carries something, and that is not it. */
  | { readonly kind: "wrong" };

export type Identify = (authorization: string | undefined) => Identity;

const BEARER = /^bearer +(\S+) *$/i;

/** Whoever has the token is the person at this machine. How long a comparison takes tells nothing of the token. */
export function identifyByToken(token: string): Identify {
  const expected = digest(token);
  return (authorization) => {
    if (authorization === undefined) return { kind: "nobody" };
    const given = BEARER.exec(authorization)?.[1];
    if (given === undefined || !timingSafeEqual(digest(given), expected)) return { kind: "wrong" };
    return { kind: "known", actor: localActor("http") };
  };
}

/** Of one length whatever it is of, so that they can be compared byte by byte. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
