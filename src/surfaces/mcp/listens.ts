import type { RequestId } from "@modelcontextprotocol/server";
import { isJsonObject, type JsonObject } from "../../model/json.js";

/** A stream of changes: the filter that it was opened with, or undefined when it ends. */
export type ListenListener = (stream: RequestId, filter: JsonObject | undefined) => void;

export interface Listens {
  /** The parameters of the request that opens a stream, or undefined when it ends. */
  heard(stream: RequestId, params: unknown): void;
  /** Whoever is to hear next also hears of the streams that are open. */
  onListen(listener: ListenListener): void;
}

/** The streams of changes that one client has open (2026-07-28): its first message may open one. */
export function createListens(): Listens {
  const open = new Map<RequestId, JsonObject>();
  let tell: ListenListener = () => undefined;
  return {
    heard(stream, params) {
      if (params === undefined && !open.delete(stream)) return;
      const filter = params === undefined ? undefined : filterOf(params);
      if (filter !== undefined) open.set(stream, filter);
      tell(stream, filter);
    },
    onListen(listener) {
      tell = listener;
      for (const [stream, filter] of open) tell(stream, filter);
    },
  };
}

/** Of a request for a stream of changes: what it is to tell of. */
export function filterOf(params: unknown): JsonObject {
  const filter = isJsonObject(params) ? params["notifications"] : undefined;
  return isJsonObject(filter) ? filter : {};
}
