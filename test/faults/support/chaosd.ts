// A proxy that forwards connections to a local server, request by request, each with its planned fault.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { createRequestReader, type ProxiedRequest } from "./request-reader.js";

/** What happens to one request. */
export type Fault =
  | { readonly kind: "none" }
  /** Forwarded after a delay. */
  | { readonly kind: "late"; readonly ms: number }
  /**
   * The connection closes: before the server receives the request, after it has answered, or within its answer, after a
   * share of the first chunk.
   */
  | {
      readonly kind: "break";
      readonly when: "before" | "after" | "within";
      readonly how: "reset" | "end";
      readonly share?: number;
    }
  /** As if the network were cut: accepted, but never answered. */
  | { readonly kind: "silence" }
  /** The answer arrives one byte at a time. */
  | { readonly kind: "drip"; readonly everyMs: number }
  /** Forwarded and answered; then the idle connection is closed after this many milliseconds (0 is at once). */
  | { readonly kind: "close-idle"; readonly afterMs: number; readonly how: "reset" | "end" }
  /** The proxy answers in place of the server, which does not receive the request. */
  | { readonly kind: "answer"; readonly write: (socket: Socket) => void };

export interface ChaosParts {
  /** The address of the server. */
  readonly port: number;
  readonly plan: (request: ProxiedRequest) => Fault;
}

export interface Chaos {
  readonly port: number;
  readonly origin: string;
  /** The number of connections. */
  connections(): number;
  /** Until `heal`, nothing passes in either direction on any connection, and no connection is refused. */
  partition(): void;
  /** Cut connections are lost; new ones pass. */
  heal(): void;
  stop(): Promise<void>;
}

export async function startChaos({ port, plan }: ChaosParts): Promise<Chaos> {
  const sockets = new Set<Socket>();
  let connections = 0;
  let isCut = false;
  const server = createServer((client) => {
    connections += 1;
    sockets.add(client);
    client.once("close", () => sockets.delete(client));
    client.on("error", () => undefined);
    client.setNoDelay();
    pass(client, { port, plan, isCut: () => isCut });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = (server.address() as AddressInfo).port;
  const dropAll = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    port: own,
    origin: `http://127.0.0.1:${own}`,
    connections: () => connections,
    partition: () => void (isCut = true),
    heal() {
      isCut = false;
      dropAll();
    },
    async stop() {
      const closed = once(server, "close");
      server.close();
      dropAll();
      await closed;
    },
  };
}

interface Passing extends ChaosParts {
  readonly isCut: () => boolean;
}

/** One connection: one request at a time, as HTTP clients without pipelining send them. */
function pass(client: Socket, { port, plan, isCut }: Passing): void {
  let upstream: Socket | undefined;
  let fault: Fault = { kind: "none" };
  let number = 0;

  const toServer = (): Socket => {
    if (upstream !== undefined && !upstream.destroyed) return upstream;
    const made = connect({ port, host: "127.0.0.1", noDelay: true });
    made.on("data", (chunk: Buffer) => void (isCut() || answered(client, chunk, fault)));
    made.on("error", () => client.destroy());
    // A slow answer continues after the server has sent everything.
    made.on("close", () => void (fault.kind === "drip" || client.end()));
    client.once("close", () => made.destroy());
    upstream = made;
    return made;
  };

  const reader = createRequestReader((request) => {
    number += 1;
    fault = plan({ ...request, number, isReused: number > 1 });
    switch (fault.kind) {
      case "silence":
        return;
      case "answer":
        return fault.write(client);
      case "late":
        return void setTimeout(() => toServer().write(request.bytes), fault.ms);
      case "break":
        if (fault.when === "before") return breakOff(client, fault.how);
        return void toServer().write(request.bytes);
      case "none":
      case "drip":
      case "close-idle":
        return void toServer().write(request.bytes);
    }
  });
  client.on("data", (chunk: Buffer) => void (isCut() || reader(chunk)));
}

/** A part of the answer has arrived; the servers here answer in one chunk unless the answer is large. */
function answered(client: Socket, chunk: Buffer, fault: Fault): void {
  switch (fault.kind) {
    case "break": {
      if (fault.when === "after") return breakOff(client, fault.how);
      const some = chunk.subarray(0, Math.max(1, Math.floor(chunk.length * (fault.share ?? 0.5))));
      return void client.write(some, () => breakOff(client, fault.how));
    }
    case "drip":
      return drip(client, chunk, fault.everyMs);
    case "close-idle": {
      const { afterMs, how } = fault;
      return void client.write(chunk, () => {
        if (afterMs === 0) breakOff(client, how);
        else setTimeout(() => breakOff(client, how), afterMs);
      });
    }
    case "none":
    case "late":
    case "silence":
    case "answer":
      return void client.write(chunk);
  }
}

function breakOff(socket: Socket, how: "reset" | "end"): void {
  if (socket.destroyed) return;
  // A connection that is already closing cannot be reset.
  if (how === "reset" && !socket.writableEnded) socket.resetAndDestroy();
  else socket.destroy();
}

function drip(client: Socket, chunk: Buffer, everyMs: number): void {
  let at = 0;
  const timer = setInterval(() => {
    client.write(chunk.subarray(at, at + 1));
    at += 1;
    if (at >= chunk.length) clearInterval(timer);
  }, everyMs);
  client.once("close", () => clearInterval(timer));
}
