import type { SecureContext } from "node:tls";
import { hasOwnAuthorities, readAuthorities } from "./authorities.js";
import { createFindProxy, type ProxyEnvironment, type Proxy } from "./proxy.js";

/** The proxy and certificate authorities for outgoing connections, according to environment variables. */
export interface Network {
  /** Returns the proxy for a URL; undefined for a direct connection. */
  proxyFor(url: URL): Proxy | undefined;
  /** Returns the certificate authorities; undefined for those of Node. */
  authorities(): SecureContext | undefined;
  /** Whether no environment variable applies to the URL, so that Node's default behavior is correct. */
  isPlain(url: URL): boolean;
}

const known = new WeakMap<ProxyEnvironment, Network>();

/** Returns the network settings of an environment. They are cached, so that certificate files are read once. */
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
