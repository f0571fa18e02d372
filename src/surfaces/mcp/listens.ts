import type { RequestId } from "@modelcontextprotocol/server";
import { isJsonObject, type JsonObject } from "../../model/json.js";

/** Called with the filter of a `subscriptions/listen` stream when it opens, and with undefined when it closes. */
export type ListenListener = (stream: RequestId, filter: JsonObject | undefined) => void;

export interface Listens {
  /** Records a stream: `params` of the request that opens it, or undefined when it closes. */
  update(stream: RequestId, params: unknown): void;
  /** Replaces the listener. The new one is called for every stream that is already open. */
  onListen(listener: ListenListener): void;
}

/** The `subscriptions/listen` streams of one client (2026-07-28). The first message of a client may already open one. */
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

/** The filter in the parameters of `subscriptions/listen`. */
export function filterOf(params: unknown): JsonObject {
  const filter = isJsonObject(params) ? params["notifications"] : undefined;
  return isJsonObject(filter) ? filter : {};
}
