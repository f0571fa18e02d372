import type { RequestId } from "@modelcontextprotocol/server";
import { isJsonObject, type JsonObject } from "../../model/json.js";

/**
 * Called with the stream's filter when a client opens a `subscriptions/listen` stream, and with undefined when the
 * stream closes.
 */
export type ListenListener = (stream: RequestId, filter: JsonObject | undefined) => void;

export interface Listens {
  /** Records that a stream was opened (`params` of its request) or closed (undefined). */
  update(stream: RequestId, params: unknown): void;
  /** Replaces the listener. The new one is called for every stream that is already open. */
  onListen(listener: ListenListener): void;
}

/**
 * Keeps track of the `subscriptions/listen` streams of one client (MCP 2026-07-28). Streams may be opened before a
 * listener is set, because a client's first message may already open one.
 */
export function createListens(): Listens {
  const open = new Map<RequestId, JsonObject>();
  let notify: ListenListener = () => undefined;
  return {
    update(stream, params) {
      if (params === undefined && !open.delete(stream)) return;
      const filter = params === undefined ? undefined : filterOf(params);
      if (filter !== undefined) open.set(stream, filter);
      notify(stream, filter);
    },
    onListen(listener) {
      notify = listener;
      for (const [stream, filter] of open) notify(stream, filter);
    },
  };
}

/** Returns the filter in the parameters of `subscriptions/listen`. */
export function filterOf(params: unknown): JsonObject {
  const filter = isJsonObject(params) ? params["notifications"] : undefined;
  return isJsonObject(filter) ? filter : {};
}
