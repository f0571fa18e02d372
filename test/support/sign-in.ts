import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createStore, storeFile } from "../../src/store/create-store.js";
import type { Store } from "../../src/store/store.js";
import { createAuthFetch } from "../../src/upstreams/oauth/auth-fetch.js";
import type { Credential } from "../../src/upstreams/oauth/credential.js";
import { beginLogin, type Login, type LoginParts } from "../../src/upstreams/oauth/login.js";
import type { OAuthSettings } from "../../src/model/server.js";
import { addressKey, type RemoteConnection } from "../../src/upstreams/oauth/settings.js";
import { createSignIns, type FindSignIn, type SignInParts } from "../../src/upstreams/oauth/sign-in.js";
import { createVault, credentialKeyFile, type Holding } from "../../src/upstreams/oauth/vault.js";
import { createLocalKey } from "../../src/util/local-key.js";
import {
  type AuthorizationServer,
  type AuthorizationSwitches,
  type ProtectedServer,
  startAuthorizationServer,
  startProtectedServer,
} from "./authorization-server.js";

export const REDIRECT_URL = "http://127.0.0.1:9/callback";

/** A server that requires a sign-in, its authorization server, and a folder with a store and a key. */
export interface SignInPlace {
  readonly folder: string;
  readonly authorization: AuthorizationServer;
  readonly server: ProtectedServer;
  readonly store: Store;
  readonly connection: RemoteConnection;
  clock: { offsetMs: number };
  holding(actor?: string): Holding;
  signIns(parts?: Partial<SignInParts>): FindSignIn;
  begin(changes?: Partial<LoginParts>): Promise<Login>;
  /** Signs in with a user who accepts, and stores the result. */
  login(changes?: Partial<LoginParts> & { readonly actor?: string }): Promise<Credential>;
  close(): Promise<void>;
}

const NEVER = new AbortController().signal;

export async function openSignInPlace(
  switches: Partial<AuthorizationSwitches> = {},
  oauth?: OAuthSettings,
): Promise<SignInPlace> {
  const folder = await mkdtemp(join(tmpdir(), "sign-in-"));
  const authorization = await startAuthorizationServer(switches);
  const server = await startProtectedServer(authorization);
  const store = createStore({ file: storeFile(folder), inline: true });
  const key = createLocalKey(credentialKeyFile(folder));
  const clock = { offsetMs: 0 };
  const now = (): number => Date.now() + clock.offsetMs;
  const connection: RemoteConnection = {
    kind: "http",
    url: server.url,
    headers: {},
    ...(oauth === undefined ? {} : { oauth }),
  };
  const holding = (actor = "local"): Holding => ({ server: "remote", connection: addressKey(connection), actor });
  const begin = async (changes: Partial<LoginParts> = {}): Promise<Login> => {
    const guarded = createAuthFetch({ server: "remote", connection: changes.connection ?? connection });
    const parts = { server: "remote", connection, guarded, redirectUrl: REDIRECT_URL, now, ...changes };
    return await beginLogin(parts, NEVER);
  };
  return {
    folder,
    authorization,
    server,
    store,
    connection,
    clock,
    holding,
    begin,
    signIns: (parts = {}) =>
      createSignIns({ store: () => store.credentials, key, now, noteSecret: () => undefined, ...parts }),
    async login({ actor, ...changes } = {}) {
      const login = await begin(changes);
      const { searchParams } = await authorization.approve(login.url);
      const credential = await login.finish(searchParams, NEVER);
      const sealed = await createVault(key).seal(holding(actor), credential);
      await store.credentials.save({ ...holding(actor), issuer: credential.issuer, sealed, now: now() });
      return credential;
    },
    async close() {
      await store.close();
      await Promise.all([authorization.stop(), server.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
