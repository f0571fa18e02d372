// One of several gateway processes that share a sign-in: sends requests at a given time.
import { monitored } from "./message-monitor.js";
import { createStore, storeFile } from "../../src/store/create-store.js";
import { createCappedFetch } from "../../src/upstreams/capped-fetch.js";
import { createSignIns } from "../../src/upstreams/oauth/sign-in.js";
import { credentialKeyFile } from "../../src/upstreams/oauth/vault.js";
import { createLocalKey } from "../../src/util/local-key.js";

export interface Work {
  readonly folder: string;
  readonly url: string;
  readonly requests: number;
}

async function work({ folder, url, requests }: Work): Promise<string[]> {
  const store = createStore({ file: storeFile(folder), inline: true });
  const signIn = createSignIns({
    store: () => store.credentials,
    key: createLocalKey(credentialKeyFile(folder)),
    now: Date.now,
    noteSecret: () => undefined,
  })({ server: "remote", connection: { kind: "http", url, headers: {} }, actor: "local" });
  if (signIn === undefined) throw new Error("There is no sign-in.");
  const fetch = createCappedFetch({
    server: "remote",
    maxMessageBytes: 1024 * 1024,
    ...monitored("remote"),
    onFailure: () => undefined,
    signed: { signIn, origin: new URL(url).origin },
  });
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whoami" } });
  const answers = await Promise.all(
    Array.from({ length: requests }, () =>
      fetch(url, { method: "POST", body }).then(
        ({ status }) => String(status),
        (error: unknown) => String(error),
      ),
    ),
  );
  await store.close();
  return answers;
}

process.on("message", (given: Work) => {
  work(given).then(
    (answers) => process.send?.(answers),
    (error: unknown) => process.send?.([String(error)]),
  );
});
