// A request listener comes in; a server goes out, on an address that other machines reach only where callers are known.
import { lookup } from "node:dns/promises";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { BlockList, isIPv6 } from "node:net";
import { DiscoveryError } from "../../errors.js";
import { type HttpOptions, knowsCallers } from "./options.js";

export interface Listening {
  readonly server: Server;
  /** As it is written in an address: `127.0.0.1`, `[::1]`. */
  readonly host: string;
  readonly port: number;
  /** Whether only this machine reaches it. */
  readonly isLoopback: boolean;
}

const HEADER_BYTES = 16 * 1024;
const HEADER_MS = 10_000;
const REQUEST_MS = 60_000;
const IDLE_MS = 5000;
/** Who makes no room for more of an answer in so long is left, with what waits. Slow ones make some megabytes at a time. */
const STUCK_MS = 300_000;
/** How often the limits above are looked at. */
const LOOK_MS = 2000;

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

export async function listen(
  listener: RequestListener,
  options: HttpOptions,
  stuckMs: number = STUCK_MS,
): Promise<Listening> {
  const { host, port } = options;
  const address = await toAddress(host);
  const isLoopback = loopback.check(address, isIPv6(address) ? "ipv6" : "ipv4");
  if (!isLoopback && !knowsCallers(options)) throw tooOpen(host);
  const answer: RequestListener = (request, response) => {
    leaveWhenStuck(response, stuckMs);
    return listener(request, response);
  };
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: HEADER_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: IDLE_MS,
      connectionsCheckingInterval: LOOK_MS,
      insecureHTTPParser: false,
      noDelay: true,
    },
    answer,
  );
  // Left to itself the parser drops headers beyond a number; how much they may be is limited above.
  server.maxHeadersCount = 0;
  // Whoever waits to be told to go on is told when the body is wanted, not before.
  server.on("checkContinue", answer);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(cannotListen(error, `${host}:${port}`)));
    server.listen({ host: address, port, exclusive: true }, resolve);
  });
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new TypeError("A server on a port has an address.");
  return { server, host: isIPv6(address) ? `[${address}]` : address, port: bound.port, isLoopback };
}

/** As long as there is nothing to take, as while a tool runs, nobody is stuck. */
function leaveWhenStuck(response: ServerResponse, stuckMs: number): void {
  response.setTimeout(stuckMs, () => {
    if (response.writableLength > 0) response.destroy();
  });
}

/** What the name stands for now: the server listens on that, whatever it may stand for later. */
async function toAddress(host: string): Promise<string> {
  const name = host.replace(/^\[(.*)\]$/, "$1");
  const { address } = await lookup(name).catch((error: unknown) => {
    throw new DiscoveryError("CONFIGURATION_ERROR", `There is no address for the host "${host}".`, {
      hint: "Listen on 127.0.0.1, ::1 or localhost.",
      cause: error,
    });
  });
  return address;
}

function tooOpen(host: string): DiscoveryError {
  return new DiscoveryError(
    "CONFIGURATION_ERROR",
    `The gateway does not listen on ${host}: other machines could reach it there, and no caller is known.`,
    {
      hint: "Listen on 127.0.0.1, ::1 or localhost, or say under http.tokens or http.oauth who may call; `anygpt mcp token create` makes tokens.",
    },
  );
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "somebody listens there already",
  EACCES: "it is not allowed",
  EADDRNOTAVAIL: "this machine does not have the address",
};

function cannotListen(error: NodeJS.ErrnoException, where: string): DiscoveryError {
  const code = error.code ?? "unknown";
  return new DiscoveryError("CONFIGURATION_ERROR", `The gateway cannot listen on ${where}: ${REASONS[code] ?? code}.`, {
    hint: "Choose another port with --port; --port 0 takes any that is free.",
    cause: error,
  });
}
