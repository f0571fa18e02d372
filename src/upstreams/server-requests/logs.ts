// Delivers a server's log messages to the callers that requested log messages and whose calls may have caused them.
import { type Client, LOG_LEVEL_META_KEY } from "@modelcontextprotocol/client";
import type { CallContext, CallEvent } from "../../model/call.js";
import type { JsonObject } from "../../model/json.js";
import type { Era } from "../../model/server.js";
import type { Secrets } from "../../util/secrets.js";
import { toLogEvent } from "../answers.js";
import type { RequestExchange } from "../exchange.js";
import type { OpenCall } from "../open-request.js";
import type { UpstreamCall } from "../types.js";

export interface LogsParts {
  readonly server: string;
  readonly client: Client;
  readonly era: Era;
  readonly exchange: RequestExchange;
  readonly secrets: Secrets;
  readonly timeoutMs: number;
}

export interface Logs {
  /**
   * Delivers a log message. `during`: the running calls. `late`: the actors whose calls were answered a short time
   * ago.
   */
  deliver(params: JsonObject, during: readonly OpenCall[], late: readonly string[]): void;
  /** Sets the server's log level to "debug" if the caller requests it. Needed only before MCP 2026-07-28. */
  prepare(caller: CallContext): Promise<void> | undefined;
  /** The `_meta` members that request log messages of the caller's level (MCP 2026-07-28 and later). */
  envelope(caller: CallContext): JsonObject | undefined;
  /** The event handler of this call, without messages that its caller did not request. */
  filtered(call: UpstreamCall): ((event: CallEvent) => void) | undefined;
}

export function createLogs({ server, client, era, exchange, secrets, timeoutMs }: LogsParts): Logs {
  let settingDebugLevel: Promise<void> | undefined;

  /**
   * A connection has one log level for all callers, so the level is never reset; `filtered` applies each caller's
   * level.
   */
  async function setDebugLevel(): Promise<void> {
    const request = { method: "logging/setLevel", params: { level: "debug" }, timeoutMs, maxTotalMs: timeoutMs };
    await exchange.request(request).catch(() => undefined);
  }

  return {
    deliver(params, during, late) {
      // A message about one actor's call must not reach another actor.
      const [first] = during;
      if (during.some(({ actorId }) => actorId !== first?.actorId)) return;
      if (late.some((actorId) => actorId !== first?.actorId)) return;
      const event = toLogEvent(params, server, secrets);
      for (const { onEvent, ended } of during) if (!ended.aborted) onEvent?.(event);
    },
    prepare({ logLevel }) {
      if (era === "modern" || logLevel !== "debug" || client.getServerCapabilities()?.logging === undefined)
        return undefined;
      settingDebugLevel ??= setDebugLevel();
      return settingDebugLevel;
    },
    envelope: ({ logLevel }) => (logLevel === undefined ? undefined : { [LOG_LEVEL_META_KEY]: logLevel }),
    filtered({ report, context }) {
      if (report === undefined) return undefined;
      const isUnrequested = (event: CallEvent): boolean =>
        settingDebugLevel !== undefined &&
        context.logLevel !== "debug" &&
        event.kind === "log" &&
        event.level === "debug";
      return (event) => (isUnrequested(event) ? undefined : report(event));
    },
  };
}
