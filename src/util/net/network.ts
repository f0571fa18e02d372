import type { SecureContext } from "node:tls";
import { hasOwnAuthorities, readAuthorities } from "./authorities.js";
import { createFindProxy, type Environment, type Proxy } from "./proxy.js";

/** How this machine reaches others, as the variables of its environment say. */
export interface Network {
  /** Undefined to connect directly. */
  proxyFor(url: URL): Proxy | undefined;
  /** Undefined for those that come with Node. */
  authorities(): SecureContext | undefined;
  /** No variable has a say: what Node does by itself is right. */
  isPlain(url: URL): boolean;
}

const known = new WeakMap<Environment, Network>();

/** Files of certificates are read once for each environment. */
export function networkOf(env: Environment): Network {
  const network = known.get(env) ?? createNetwork(env);
  known.set(env, network);
  return network;
}

function createNetwork(env: Environment): Network {
  const proxyFor = createFindProxy(env);
  let authorities: { readonly context: SecureContext | undefined } | undefined;
  return {
    proxyFor,
    authorities: () => (authorities ??= { context: readAuthorities(env) }).context,
    isPlain: (url) => proxyFor(url) === undefined && !(url.protocol === "https:" && hasOwnAuthorities(env)),
  };
}
