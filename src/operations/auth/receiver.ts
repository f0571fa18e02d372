// Waits on this machine for the browser to come back from the authorization server. Nothing of what it is sent is shown.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { DiscoveryError } from "../../errors.js";

const HOST = "127.0.0.1";
const PATH = "/callback";

export interface Receiver {
  /** What the browser is to be sent back to. */
  readonly redirectUrl: string;
  /** The first answer that belongs to this sign-in; all others are turned away. */
  readonly answer: Promise<URLSearchParams>;
  close(): void;
}

export async function openReceiver(port: number, isMine: (answer: URLSearchParams) => boolean): Promise<Receiver> {
  const server = createServer({ requestTimeout: 5000, maxHeaderSize: 32 * 1024 });
  const taken = Promise.race([
    once(server, "listening"),
    once(server, "error").then(([error]) => Promise.reject(error as Error)),
  ]);
  server.listen(port, HOST);
  await taken.catch((error: NodeJS.ErrnoException) => {
    throw new DiscoveryError("INVALID_REQUEST", `Nothing can listen on port ${port} (${error.code ?? "unknown"}).`, {
      hint: "Give another --port, or none.",
    });
  });
  const origin = `http://${HOST}:${(server.address() as AddressInfo).port}`;
  const answer = new Promise<URLSearchParams>((resolve) => {
    server.on("request", (request, response) => {
      const found = read(request, origin);
      const fits = found !== undefined && isMine(found);
      say(response, fits);
      if (fits) resolve(found);
    });
  });
  return {
    redirectUrl: `${origin}${PATH}`,
    answer,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A page in the browser can send requests here too, but not with this host unless it was sent here. */
function read({ method, url = "", headers }: IncomingMessage, origin: string): URLSearchParams | undefined {
  if (method !== "GET" || `http://${headers.host ?? ""}` !== origin || !URL.canParse(url, origin)) return undefined;
  const { pathname, searchParams } = new URL(url, origin);
  return pathname === PATH ? searchParams : undefined;
}

function say(response: ServerResponse, isFine: boolean): void {
  const text = isFine
    ? "Thank you. Go back to the terminal: it tells whether you are signed in. This page can be closed."
    : "This does not belong to the sign-in that is under way.";
  response
    .writeHead(isFine ? 200 : 400, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      connection: "close",
    })
    .end(`<!doctype html><meta charset="utf-8"><title>AnyGPT</title><p>${text}</p>`);
}
