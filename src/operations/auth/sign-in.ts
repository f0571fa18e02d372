import type { DiscoveryEngine } from "../../engine.js";
import { localActor } from "../../model/actor.js";
import { createAuthFetch } from "../../upstreams/oauth/auth-fetch.js";
import type { Credential } from "../../upstreams/oauth/credential.js";
import { beginLogin, type Login } from "../../upstreams/oauth/login.js";
import { addressKey } from "../../upstreams/oauth/settings.js";
import { openAuthDesk, remoteConnection } from "./desk.js";
import { openReceiver, type Receiver } from "./receiver.js";

export interface SignInOptions {
  /** The caller of the gateway for whom the credential is stored. Default: the local user. */
  readonly actor?: string | undefined;
  /** Scopes to request in addition to those that the server names, separated by spaces. */
  readonly scope?: string | undefined;
  /** The local port of the redirect URL. Default: any free port. */
  readonly port?: number | undefined;
}

/** A sign-in that waits for the user in the browser. */
export interface OpenSignIn {
  readonly actor: string;
  readonly login: Login;
  /** Resolves with the query parameters of the redirect URL. */
  readonly answer: Receiver["answer"];
  /** Exchanges the authorization code in the redirect parameters for a credential. */
  readonly finish: (answer: URLSearchParams) => Promise<Credential>;
  /** Stores the credential that `finish` returned, encrypted, and records the sign-in in the audit log. */
  readonly store: (credential: Credential) => Promise<void>;
  readonly close: () => void;
}

/**
 * Prepares a sign-in (discovery, client registration, authorization URL) and listens on a local port for the redirect.
 */
export async function beginSignIn(
  engine: DiscoveryEngine,
  server: string,
  { actor = localActor("cli").id, scope, port = 0 }: SignInOptions = {},
  signal = new AbortController().signal,
): Promise<OpenSignIn> {
  const { stages, credentials, vault } = await openAuthDesk(engine);
  const { runtime, persistence } = stages;
  const connection = await remoteConnection(server, stages);
  const holding = { server, connection: addressKey(connection), actor };
  let login: Login | undefined;
  const receiver = await openReceiver(port, (answer) => login?.matches(answer) ?? false);
  const guarded = createAuthFetch({ server, connection, env: runtime.env });
  const close = (): void => {
    receiver.close();
    guarded.close();
  };
  try {
    const stored = await credentials.find(holding);
    const grantedScope = stored && (await vault.open(stored))?.credential.scope;
    const { redirectUrl } = receiver;
    const started = await beginLogin(
      { server, connection, guarded, now: runtime.now, redirectUrl, scope, grantedScope },
      signal,
    );
    login = started;
    return {
      actor,
      login: started,
      answer: receiver.answer,
      finish: (answer) => started.finish(answer, signal),
      async store(credential) {
        const subject = `${server} at ${credential.issuer} for ${actor}`;
        await persistence.note({ action: "sign_in", subject, by: localActor("cli").id, surface: "cli" });
        const sealed = await vault.seal(holding, credential);
        await credentials.save({ ...holding, issuer: credential.issuer, sealed, now: runtime.now() });
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}
