// Where this gateway runs and its store come in; what knows the tokens for servers goes out, loaded when the first one is asked.
import type { Place } from "./place.js";
import type { Store } from "./store/store.js";
import type { UpstreamsParts } from "./upstreams/types.js";
import { createLocalKey } from "./util/local-key.js";

type FindSignIn = NonNullable<UpstreamsParts["signIn"]>;

export function createSignInsOnDemand(place: Place, credentials: () => Store["credentials"]): FindSignIn {
  let opened: Promise<FindSignIn> | undefined;
  const open = async (): Promise<FindSignIn> => {
    const [{ createSignIns }, { credentialKeyFile }] = await Promise.all([
      import("./upstreams/oauth/sign-in.js"),
      import("./upstreams/oauth/vault.js"),
    ]);
    return createSignIns({
      store: credentials,
      key: createLocalKey(credentialKeyFile(place.stateFolder), place.warn),
      now: place.now,
      env: place.env,
      noteSecret: (secret) => place.secrets.notePassing(secret),
    });
  };
  return async (request) => {
    opened ??= open();
    return await (await opened)(request);
  };
}
