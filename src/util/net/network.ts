import type { SecureContext } from "node:tls";
import { hasOwnAuthorities, readAuthorities } from "./authorities.js";
import { createFindProxy, type ProxyEnvironment, type Proxy } from "./proxy.js";

/** How this machine reaches others, according to its environment variables. */
export interface Network {
  /** Undefined for a direct connection. */
  proxyFor(url: URL): Proxy | undefined;
  /** Undefined for the certificate authorities of Node. */
  authorities(): SecureContext | undefined;
  /** No variable applies to the URL, so that Node's default behaviour is right. */
  isPlain(url: URL): boolean;
}

const known = new WeakMap<ProxyEnvironment, Network>();

/** Certificate files are read once for each environment. */
export function networkOf(env: ProxyEnvironment): Network {
  const network = known.get(env) ?? createNetwork(env);
  known.set(env, network);
  return network;
}

function createNetwork(env: ProxyEnvironment): Network {
  const proxyFor = createFindProxy(env);
  let authorities: { readonly context: SecureContext | undefined } | undefined;
  return {
    proxyFor,
    authorities: () => (authorities ??= { context: readAuthorities(env) }).context,
    isPlain: (url) => proxyFor(url) === undefined && !(url.protocol === "https:" && hasOwnAuthorities(env)),
  };
}
