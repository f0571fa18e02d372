// Receives the redirect from the authorization server on a loopback port. The response page contains no data from the
// request.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { DiscoveryError } from "../../errors.js";

const HOST = "127.0.0.1";
const PATH = "/callback";

export interface Receiver {
  readonly redirectUrl: string;
  /** The parameters of the first redirect that belongs to this sign-in. Other requests get HTTP 400. */
  readonly answer: Promise<URLSearchParams>;
  close(): void;
}

export async function openReceiver(port: number, isExpected: (answer: URLSearchParams) => boolean): Promise<Receiver> {
  const server = createServer({ requestTimeout: 5000, maxHeaderSize: 32 * 1024 });
  const listening = Promise.race([
    once(server, "listening"),
    once(server, "error").then(([error]) => Promise.reject(error as Error)),
  ]);
  server.listen(port, HOST);
  await listening.catch((error: NodeJS.ErrnoException) => {
    throw new DiscoveryError(
      "INVALID_REQUEST",
      `Port ${port} cannot be opened for the redirect of the sign-in (${error.code ?? "unknown"}).`,
      {
        hint: "Name another port with --port, or omit --port to use a free one.",
      },
    );
  });
  const origin = `http://${HOST}:${(server.address() as AddressInfo).port}`;
  const answer = new Promise<URLSearchParams>((resolve) => {
    server.on("request", (request, response) => {
      const found = read(request, origin);
      const fits = found !== undefined && isExpected(found);
      respond(response, fits);
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

/**
 * Reads the redirect parameters. Rejects other Host headers, because any website can make the browser send requests
 * here, under its own host name (DNS rebinding).
 */
function read({ method, url = "", headers }: IncomingMessage, origin: string): URLSearchParams | undefined {
  if (method !== "GET" || `http://${headers.host ?? ""}` !== origin || !URL.canParse(url, origin)) return undefined;
  const { pathname, searchParams } = new URL(url, origin);
  return pathname === PATH ? searchParams : undefined;
}

function respond(response: ServerResponse, isAccepted: boolean): void {
  const text = isAccepted
    ? "Go back to the terminal to see whether you are signed in. You can close this page."
    : "This request does not belong to the sign-in in progress.";
  response
    .writeHead(isAccepted ? 200 : 400, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      connection: "close",
    })
    .end(`<!doctype html><meta charset="utf-8"><title>AnyGPT</title><p>${text}</p>`);
}
