// Gets the OAuth tokens for connections to servers. The OAuth code is loaded when the first token is needed.
import type { RuntimeEnvironment } from "./runtime-environment.js";
import type { Store } from "../store/store.js";
import type { UpstreamsParts } from "../upstreams/types.js";
import { createLocalKey } from "../util/local-key.js";

type FindSignIn = NonNullable<UpstreamsParts["signIn"]>;

export function createSignInsOnDemand(
  runtime: RuntimeEnvironment,
  credentials: () => Store["credentials"],
): FindSignIn {
  let opened: Promise<FindSignIn> | undefined;
  const open = async (): Promise<FindSignIn> => {
    const [{ createSignIns }, { credentialKeyFile }] = await Promise.all([
      import("../upstreams/oauth/sign-in.js"),
      import("../upstreams/oauth/vault.js"),
    ]);
    return createSignIns({
      store: credentials,
      key: createLocalKey(credentialKeyFile(runtime.stateFolder), runtime.warn),
      now: runtime.now,
      env: runtime.env,
      noteSecret: (secret) => runtime.secrets.noteTemporary(secret),
    });
  };
  return async (request) => {
    opened ??= open();
    return await (await opened)(request);
  };
}
