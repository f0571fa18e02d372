// Provides the access token for an actor's requests on a connection, and renews the token when needed. It never starts
// a sign-in; only the user can do that.
import type { LocalKey } from "../../util/local-key.js";
import type { GuardedFetchParts } from "../../util/net/guarded-fetch.js";
import { createAuthFetch } from "./auth-fetch.js";
import { isUsable, renew, type RenewalParts } from "./renewal.js";
import { addressKey, hasOwnAuthorization, type RemoteConnection } from "./settings.js";
import { type CredentialStore, createVault, type OpenCredential } from "./vault.js";

/**
 * Interval at which the tokens in use are registered for redaction again. A registration expires after an hour or two,
 * and a stream may use its token for days without a new request.
 */
const REREGISTER_MS = 1_800_000;

/**
 * How long a credential is used without reading the store again. A sign-out in another process takes effect within this
 * time.
 */
const CACHE_MS = 1000;

export interface SignIn {
  /** The actor that signed in or has to sign in. */
  readonly actor: string;
  /** The token to send. Undefined if the actor has not signed in. */
  token(): Promise<string | undefined>;
  /**
   * Call this after the server has rejected the token `refused`. Returns another token, or undefined if the user must
   * sign in.
   */
  another(refused: string | undefined): Promise<string | undefined>;
  /**
   * Registers the current secrets for redaction again, because a registration expires and the secrets are still in use.
   */
  noteAgain(): void;
}

export interface SignInRequest {
  readonly server: string;
  readonly connection: RemoteConnection;
  readonly actor: string;
}

export interface SignInParts extends Pick<GuardedFetchParts, "lookup" | "ca" | "env"> {
  /** Called for each access, because a reload may replace the store. */
  readonly store: () => CredentialStore;
  readonly key: LocalKey;
  /** The current wall-clock time in milliseconds. */
  readonly now: () => number;
  /** Registers a secret for redaction. Called on every use of the secret, because a registration expires. */
  readonly noteSecret: (secret: string) => void;
  readonly pause?: (delayMs: number) => Promise<void>;
}

/** Returns undefined for a connection whose configuration sets the Authorization header. */
export type FindSignIn = (request: SignInRequest) => SignIn | undefined;

/**
 * Returns one shared object for each server, URL and actor, so that concurrent renewals become one. The objects hold
 * decrypted tokens and are referenced weakly, so that tokens leave memory with their connections.
 */
export function createSignIns(parts: SignInParts): FindSignIn {
  const vault = createVault(parts.key);
  const known = new Map<string, WeakRef<SignIn>>();
  const gone = new FinalizationRegistry<string>((name) => {
    if (known.get(name)?.deref() === undefined) known.delete(name);
  });
  let timer: NodeJS.Timeout | undefined;
  const noteAllAgain = (): void => {
    for (const signIn of known.values()) signIn.deref()?.noteAgain();
    if (known.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return ({ server, connection, actor }) => {
    if (hasOwnAuthorization(connection)) return undefined;
    const holding = { server, connection: addressKey(connection), actor };
    const settings = connection.oauth ?? {};
    const name = JSON.stringify([holding, settings]);
    const { lookup, ca, env, store, now, pause = wait } = parts;
    const network = {
      ...(lookup === undefined ? {} : { lookup }),
      ...(ca === undefined ? {} : { ca }),
      ...(env === undefined ? {} : { env }),
    };
    const openFetch = () => createAuthFetch({ server, connection, ...network });
    const found = known.get(name)?.deref();
    if (found !== undefined) return found;
    const made = createSignIn({ holding, settings, store, vault, now, pause, openFetch }, parts.noteSecret);
    known.set(name, new WeakRef(made));
    gone.register(made, name);
    timer ??= setInterval(noteAllAgain, REREGISTER_MS).unref();
    return made;
  };
}

function createSignIn(parts: RenewalParts, noteSecret: (secret: string) => void): SignIn {
  const { holding, store, vault, now } = parts;
  let current: OpenCredential | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let renewing: Promise<OpenCredential | undefined> | undefined;

  const keep = (credential: OpenCredential | undefined): OpenCredential | undefined => {
    if (credential !== undefined) noteSecrets(credential, noteSecret);
    current = credential;
    readAt = now();
    return current;
  };

  async function read(): Promise<OpenCredential | undefined> {
    const stored = await store().find(holding);
    if (stored !== undefined && stored.version === current?.version && stored.isRefused === current.isRefused) {
      return keep(current);
    }
    return keep(stored && (await vault.open(stored)));
  }

  /** Renews the credential. Concurrent callers share one renewal. */
  async function renewed(known: OpenCredential, refused: string | undefined): Promise<OpenCredential | undefined> {
    renewing ??= renew(known, refused, parts)
      .then(keep)
      .finally(() => {
        renewing = undefined;
      });
    return await renewing;
  }

  async function usableToken(refused: string | undefined): Promise<string | undefined> {
    const isFresh = refused === undefined && Math.abs(now() - readAt) < CACHE_MS;
    const known = isFresh ? current : await read();
    if (known === undefined) return undefined;
    const { accessToken, refreshToken } = known.credential;
    if (isUsable(known, refused, now())) return accessToken;
    const next = known.isRefused || refreshToken === undefined ? undefined : await renewedInTime(known, refused);
    // An expired token that cannot be renewed is sent anyway, so that the server decides whether to accept it.
    const token = (next ?? known).credential.accessToken;
    return token === refused ? undefined : token;
  }

  /** Renews the credential before it expires. If the renewal fails, a token that has not expired yet is still used. */
  async function renewedInTime(known: OpenCredential, refused: string | undefined) {
    try {
      return await renewed(known, refused);
    } catch (error) {
      const { accessToken, expiresAt } = known.credential;
      if (accessToken !== refused && expiresAt !== undefined && now() < expiresAt) return known;
      throw error;
    }
  }

  return {
    actor: holding.actor,
    token: () => usableToken(undefined),
    another: (refused) => usableToken(refused ?? ""),
    noteAgain: () => (current === undefined ? undefined : noteSecrets(current, noteSecret)),
  };
}

function noteSecrets({ credential }: OpenCredential, note: (secret: string) => void): void {
  const { accessToken, refreshToken, client } = credential;
  for (const secret of [accessToken, refreshToken, client.secret]) if (secret !== undefined) note(secret);
}

function wait(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
