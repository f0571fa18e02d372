// HTTP agents that reach https servers through a proxy (CONNECT, RFC 9110 section 9.3.6).
import { type ClientRequestArgs, request as requestHttp } from "node:http";
import { Agent, type AgentOptions, request as requestHttps } from "node:https";
import { isIP, type Socket } from "node:net";
import { connect, type ConnectionOptions } from "node:tls";
import { proxyRefused, proxyUnreached } from "./proxy-error.js";
import { withoutBrackets } from "./no-proxy.js";
import type { Proxy } from "./proxy.js";

/** How long the proxy may take to open a tunnel. */
const CONNECT_MS = 30_000;

export interface TunnelParts {
  readonly server: string;
  readonly proxy: Proxy;
  /** TLS options for the server, and for the proxy if it is reached over https. */
  readonly tls: ConnectionOptions;
}

type Connected = (error: Error | null, socket?: Socket) => void;

/** An agent whose connections are tunnels: the proxy sees only the host name and the port. */
export class TunnelAgent extends Agent {
  readonly #parts: TunnelParts;

  constructor(parts: TunnelParts, options: AgentOptions = {}) {
    super(options);
    this.#parts = parts;
  }

  // Node passes a second argument, a callback that its types do not declare.
  override createConnection(options: ClientRequestArgs, onConnected?: (...args: never[]) => void): undefined {
    void this.#connect(options, onConnected as unknown as Connected);
    return undefined;
  }

  async #connect({ host, port }: ClientRequestArgs, onConnected: Connected): Promise<void> {
    try {
      onConnected(null, await this.#open(withoutBrackets(host ?? ""), Number(port ?? 443)));
    } catch (error) {
      onConnected(error as Error);
    }
  }

  async #open(host: string, port: number): Promise<Socket> {
    const { tls } = this.#parts;
    const socket = await openTunnel(isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`, this.#parts);
    return await new Promise((resolve, reject) => {
      const secure = connect({ ...tls, socket, host, ...(isIP(host) === 0 ? { servername: host } : {}) });
      secure.once("secureConnect", () => {
        secure.off("error", reject);
        resolve(secure);
      });
      secure.once("error", reject);
    });
  }
}

function openTunnel(target: string, { server, proxy, tls }: TunnelParts): Promise<Socket> {
  const isSecure = proxy.url.protocol === "https:";
  return new Promise((resolve, reject) => {
    const request = (isSecure ? requestHttps : requestHttp)(proxy.url, {
      ...(isSecure ? { ...tls, servername: servernameOf(proxy) } : {}),
      method: "CONNECT",
      path: target,
      headers: { host: target, ...proxyHeaders(proxy) },
      agent: false,
      insecureHTTPParser: false,
      timeout: CONNECT_MS,
    });
    const late = Object.assign(new Error("The proxy did not answer."), { code: "ETIMEDOUT" });
    request.once("timeout", () => request.destroy(late));
    request.once("connect", ({ statusCode = 0 }, socket, head) => {
      if (statusCode < 200 || statusCode > 299) {
        socket.destroy();
        return reject(proxyRefused(server, proxy, { status: statusCode, target }));
      }
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.once("error", (error) => reject(proxyUnreached(server, proxy, error)));
    request.end();
  });
}

/**
 * The TLS server name of the proxy. Set explicitly, because Node would use the `Host` header, which names the server
 * behind the proxy.
 */
export function servernameOf({ url }: Proxy): string {
  return isIP(withoutBrackets(url.hostname)) === 0 ? url.hostname : "";
}

export function proxyHeaders({ authorization }: Proxy): Record<string, string> {
  return authorization === undefined ? {} : { "proxy-authorization": authorization };
}
