// Starts the HTTP server. If other machines can reach the listening address, the server starts only if `http.tokens` or
// `http.oauth` is configured.
import { lookup } from "node:dns/promises";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { BlockList, isIPv6 } from "node:net";
import { DiscoveryError } from "../../errors.js";
import { type HttpOptions, authenticatesCallers } from "./options.js";

export interface HttpListener {
  readonly server: Server;
  /** The listening address in URL syntax: `127.0.0.1`, `[::1]`. */
  readonly host: string;
  readonly port: number;
  /** Whether only this machine can reach the server. */
  readonly isLoopback: boolean;
}

const HEADER_BYTES = 16 * 1024;
const HEADER_MS = 10_000;
const REQUEST_MS = 60_000;
const IDLE_MS = 5000;
/**
 * A client that reads nothing of a response for this long is disconnected. The time is long because a slow client reads
 * several megabytes at once and then nothing for some time.
 */
const STALL_MS = 300_000;
/** How often Node.js checks the time limits for headers and requests. */
const CHECK_INTERVAL_MS = 2000;

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

export async function listen(
  listener: RequestListener,
  options: HttpOptions,
  stallMs: number = STALL_MS,
): Promise<HttpListener> {
  const { host, port } = options;
  const address = await toAddress(host);
  const isLoopback = loopback.check(address, isIPv6(address) ? "ipv6" : "ipv4");
  if (!isLoopback && !authenticatesCallers(options)) throw authenticationRequired(host);
  const answer: RequestListener = (request, response) => {
    disconnectStalled(response, stallMs);
    return listener(request, response);
  };
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: HEADER_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: IDLE_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      insecureHTTPParser: false,
      noDelay: true,
    },
    answer,
  );
  // No limit for the number of headers: by default Node.js silently drops headers above a limit. `maxHeaderSize` limits
  // their total size.
  server.maxHeadersCount = 0;
  // A client that sends `Expect: 100-continue` gets the 100 response when the body is read.
  server.on("checkContinue", answer);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(cannotListen(error, `${host}:${port}`)));
    server.listen({ host: address, port, exclusive: true }, resolve);
  });
  const bound = server.address();
  if (bound === null || typeof bound === "string")
    throw new TypeError("The HTTP server has no address although it listens on a port.");
  return { server, host: isIPv6(address) ? `[${address}]` : address, port: bound.port, isLoopback };
}

/**
 * Disconnects a client that does not read its response, but only while data is waiting to be sent: a running tool may
 * send nothing for a long time.
 */
function disconnectStalled(response: ServerResponse, stallMs: number): void {
  response.setTimeout(stallMs, () => {
    if (response.writableLength > 0) response.destroy();
  });
}

/**
 * Resolves the host name to an IP address. The server keeps listening on this address even if the name resolves
 * differently later.
 */
async function toAddress(host: string): Promise<string> {
  const name = host.replace(/^\[(.*)\]$/, "$1");
  const { address } = await lookup(name).catch((error: unknown) => {
    throw new DiscoveryError("CONFIGURATION_ERROR", `The host "${host}" cannot be resolved.`, {
      hint: "Listen on 127.0.0.1, ::1 or localhost.",
      cause: error,
    });
  });
  return address;
}

function authenticationRequired(host: string): DiscoveryError {
  return new DiscoveryError(
    "CONFIGURATION_ERROR",
    `The gateway does not listen on ${host}: other machines could reach it there, and no authentication is configured.`,
    {
      hint: [
        "Listen on 127.0.0.1, ::1 or localhost, or configure tokens or OAuth.",
        { action: "run-command", command: "anygpt mcp token create", purpose: "create a token" },
        { action: "edit-config", key: "http.tokens" },
        { action: "edit-config", key: "http.oauth" },
      ],
    },
  );
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the address is already in use",
  EACCES: "permission denied",
  EADDRNOTAVAIL: "this machine does not have the address",
};

function cannotListen(error: NodeJS.ErrnoException, where: string): DiscoveryError {
  const code = error.code ?? "unknown";
  return new DiscoveryError("CONFIGURATION_ERROR", `The gateway cannot listen on ${where}: ${REASONS[code] ?? code}.`, {
    hint: "Choose another port with --port; --port 0 uses any free port.",
    cause: error,
  });
}
