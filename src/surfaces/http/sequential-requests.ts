import type { RequestListener } from "node:http";

/** The maximum number of pipelined requests that wait on one connection. */
const MAX_PIPELINED = 100;

/**
 * Processes the requests on one connection one after the other. If a response closes the connection, the requests after
 * it are dropped: another HTTP parser could regard them as part of the rejected request (request smuggling).
 */
export function processSequentially(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<object, (() => void)[]>();
  return (incoming, outgoing) => {
    const { socket } = incoming;
    const begin = (): void => {
      outgoing.once("close", () => {
        // The connection is closing: the requests that wait behind this response are dropped.
        if (!outgoing.shouldKeepAlive || socket.destroyed) return;
        const next = waiting.get(socket)?.shift();
        if (next === undefined) waiting.delete(socket);
        else next();
      });
      listener(incoming, outgoing);
    };
    const before = waiting.get(socket);
    if (before === undefined) {
      waiting.set(socket, []);
      begin();
    } else if (before.length < MAX_PIPELINED) before.push(begin);
    else socket.destroy();
  };
}
