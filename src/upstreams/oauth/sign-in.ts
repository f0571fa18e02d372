// A connection and an actor come in, the token for each request goes out: as it was signed in for, renewed when it has to
// be. It refuses to sign in by itself: that is a person's to do.
import type { LocalKey } from "../../util/local-key.js";
import type { GuardedFetchParts } from "../../util/net/guarded-fetch.js";
import { createAuthFetch } from "./auth-fetch.js";
import { isGood, renew, type RenewalParts } from "./renewal.js";
import { addressKey, hasOwnAuthorization, type RemoteConnection } from "./settings.js";
import { type CredentialStore, createVault, type OpenCredential } from "./vault.js";

/** So often what is in use is told, although nobody asks for it: a stream may go on for days. */
const REMIND_MS = 1_800_000;

/** How long a credential is believed to be what the store has: a sign-out elsewhere counts after that. */
const BELIEVED_MS = 1000;

export interface SignIn {
  /** Who signed in, or has to. */
  readonly actor: string;
  /** What to send; undefined when nobody signed in. */
  token(): Promise<string | undefined>;
  /** The server did not take what was sent: something else to send, or undefined when a person has to sign in. */
  another(refused: string | undefined): Promise<string | undefined>;
  /** What was last sent is still in use. */
  remind(): void;
}

export interface SignInRequest {
  readonly server: string;
  readonly connection: RemoteConnection;
  readonly actor: string;
}

export interface SignInParts extends Pick<GuardedFetchParts, "lookup" | "ca" | "env"> {
  /** Asked every time: a reload may bring another store. */
  readonly store: () => CredentialStore;
  readonly key: LocalKey;
  /** The time of day. */
  readonly now: () => number;
  /** Told whenever they are used: what is not used any more may be forgotten. */
  readonly noteSecret: (secret: string) => void;
  readonly pause?: (delayMs: number) => Promise<void>;
}

/** Undefined for a connection that carries its own credentials. */
export type FindSignIn = (request: SignInRequest) => SignIn | undefined;

/**
 * One for each server, address and actor, whoever asks, for as long as somebody has it: that is what makes a renewal happen
 * once. It holds tokens in clear, so that nobody's stay in memory after their connections.
 */
export function createSignIns(parts: SignInParts): FindSignIn {
  const vault = createVault(parts.key);
  const known = new Map<string, WeakRef<SignIn>>();
  const gone = new FinalizationRegistry<string>((name) => {
    if (known.get(name)?.deref() === undefined) known.delete(name);
  });
  let reminding: NodeJS.Timeout | undefined;
  const remindAll = (): void => {
    for (const signIn of known.values()) signIn.deref()?.remind();
    if (known.size > 0) return;
    clearInterval(reminding);
    reminding = undefined;
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
    reminding ??= setInterval(remindAll, REMIND_MS).unref();
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

  /** All who want it share one; who comes later finds its result. */
  async function renewed(known: OpenCredential, refused: string | undefined): Promise<OpenCredential | undefined> {
    renewing ??= renew(known, refused, parts)
      .then(keep)
      .finally(() => {
        renewing = undefined;
      });
    return await renewing;
  }

  async function good(refused: string | undefined): Promise<string | undefined> {
    const isBelieved = refused === undefined && Math.abs(now() - readAt) < BELIEVED_MS;
    const known = isBelieved ? current : await read();
    if (known === undefined) return undefined;
    const { accessToken, refreshToken } = known.credential;
    if (isGood(known, refused, now())) return accessToken;
    const next = known.isRefused || refreshToken === undefined ? undefined : await renewedInTime(known, refused);
    // One that has ended and cannot be renewed is sent all the same: the server says what it thinks of it.
    const token = (next ?? known).credential.accessToken;
    return token === refused ? undefined : token;
  }

  /** Before its time is over a token need not be renewed at any price. */
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
    token: () => good(undefined),
    another: (refused) => good(refused ?? ""),
    remind: () => (current === undefined ? undefined : noteSecrets(current, noteSecret)),
  };
}

function noteSecrets({ credential }: OpenCredential, note: (secret: string) => void): void {
  const { accessToken, refreshToken, client } = credential;
  for (const secret of [accessToken, refreshToken, client.secret]) if (secret !== undefined) note(secret);
}

function wait(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
