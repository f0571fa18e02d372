// What a request carries as `Authorization` comes in; who is calling goes out, or why nobody is known to be.
import { createHash, timingSafeEqual } from "node:crypto";
import { type Actor, localActor } from "../../model/actor.js";
import type { Failures } from "./failures.js";
import type { HttpOptions } from "./options.js";

/** Whom a request is from. */
export type Identity =
  /** `until`: when the token stops to count. */
  | { readonly kind: "known"; readonly actor: Actor; readonly until?: number }
  | { readonly kind: "nobody" }
  /** It carries something, and that is not it. */
  | { readonly kind: "wrong" }
  /** The token is right, and not enough. */
  | { readonly kind: "insufficient"; readonly scopes: readonly string[] }
  /** Too many wrong ones came from there: none is looked at for a while. */
  | { readonly kind: "limited"; readonly retryAfterMs: number }
  /** Whether the token is right cannot be told now. */
  | { readonly kind: "undecided" };

export interface Presented {
  readonly authorization: string | undefined;
  /** Where it came from, as far as that is known. */
  readonly source: string;
  /** From this machine, and from nobody in front of it. */
  readonly isLocal: boolean;
}

export type Identify = (presented: Presented) => Promise<Identity>;

/** Tells the caller of a token that somebody else has signed. */
export type VerifySigned = (token: string) => Promise<Identity>;

export interface IdentityParts {
  /** The token of this machine. */
  readonly token: string;
  /** Those in force when a request arrives: a token that is taken out counts no more. */
  readonly options: () => Pick<HttpOptions, "tokens">;
  /** Undefined where no authorization server is trusted. */
  readonly verify: () => VerifySigned | undefined;
  readonly failures: Failures;
  readonly now: () => number;
}

const BEARER = /^bearer +(\S+) *$/i;
/** Three parts, as a signed token has them. */
const SIGNED = /^[\w-]+\.[\w-]+\.[\w-]+$/;

export function createIdentify(parts: IdentityParts): Identify {
  const own = digest(parts.token);
  const look = async (given: string, hash: Buffer, isLocal: boolean): Promise<Identity> => {
    // Every hash is compared whole, so that the time it takes tells nothing of any token.
    const isOwn = timingSafeEqual(hash, own);
    const entry = findEntry(parts.options().tokens, hash);
    if (isOwn && isLocal) return { kind: "known", actor: localActor("http") };
    if (entry !== undefined) {
      if (entry.expires === undefined) return { kind: "known", actor: toActor(entry) };
      const until = Date.parse(entry.expires);
      return until <= parts.now() ? { kind: "wrong" } : { kind: "known", actor: toActor(entry), until };
    }
    return (await verifierOf(given)?.(given)) ?? { kind: "wrong" };
  };
  const verifierOf = (given: string): VerifySigned | undefined => (SIGNED.test(given) ? parts.verify() : undefined);
  return async ({ authorization, source, isLocal }) => {
    if (authorization === undefined || authorization === "") return { kind: "nobody" };
    const given = BEARER.exec(authorization)?.[1] ?? "";
    const hash = digest(given);
    const waitMs = parts.failures.waitMs(source, hash);
    if (waitMs > 0) {
      // A signature cannot be guessed, and its bearer is not shut out by a neighbour's guesses.
      const signed = await verifierOf(given)?.(given);
      return signed === undefined || signed.kind === "wrong" ? { kind: "limited", retryAfterMs: waitMs } : signed;
    }
    const identity = given === "" ? ({ kind: "wrong" } as const) : await look(given, hash, isLocal);
    if (identity.kind === "wrong") parts.failures.failed(source, hash);
    if (identity.kind === "known") parts.failures.succeeded(hash);
    return identity;
  };
}

function findEntry(tokens: HttpOptions["tokens"], hash: Buffer): HttpOptions["tokens"][number] | undefined {
  let found: HttpOptions["tokens"][number] | undefined;
  for (const entry of tokens) {
    if (timingSafeEqual(Buffer.from(entry.hash.slice("sha256:".length), "hex"), hash)) found = entry;
  }
  return found;
}

function toActor({ name, scopes, view }: HttpOptions["tokens"][number]): Actor {
  return { id: `token:${name}`, surface: "http", scopes, ...(view === undefined ? {} : { view }) };
}

/** Of one length whatever it is of, so that they can be compared byte by byte. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
