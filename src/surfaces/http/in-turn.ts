import type { RequestListener } from "node:http";

/** More than this nobody sends ahead. */
const MOST_WAITING = 100;

/**
 * Requests of one connection begin one after the other, each when the one before is answered. What follows one that is
 * refused may be a part of it to somebody else: it never begins where the answer ends the connection.
 */
export function inTurn(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<object, (() => void)[]>();
  return (incoming, outgoing) => {
    const { socket } = incoming;
    const begin = (): void => {
      outgoing.once("close", () => {
        // What arrives while the last answer is on its way waits as well, for nothing.
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
    } else if (before.length < MOST_WAITING) before.push(begin);
    else socket.destroy();
  };
}
