import type { RequestListener } from "node:http";

/** The maximum number of pipelined requests. */
const MAX_PIPELINED = 100;

/**
 * Processes the requests of one connection one after the other. A request after a rejected one may be part of that request
 * for another parser (request smuggling), so it is dropped if the response closes the connection.
 */
export function processSequentially(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<object, (() => void)[]>();
  return (incoming, outgoing) => {
    const { socket } = incoming;
    const begin = (): void => {
      outgoing.once("close", () => {
        // Requests that arrive while the last response is being sent are dropped.
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
