// Log messages of a server come in; those callers hear them whose they can be, and that want them.
import type { Client } from "@modelcontextprotocol/client";
import type { CallEvent } from "../../model/call.js";
import type { JsonObject } from "../../model/json.js";
import type { Era } from "../../model/server.js";
import type { Secrets } from "../../util/secrets.js";
import { toLogEvent } from "../answers.js";
import type { Exchange } from "../exchange.js";
import type { OpenCall } from "../open-request.js";
import type { UpstreamCall } from "../types.js";

export interface LogsParts {
  readonly client: Client;
  readonly era: Era;
  readonly exchange: Exchange;
  readonly secrets: Secrets;
  readonly timeoutMs: number;
}

export interface Logs {
  /** `late`: the actors whose calls have just been answered. */
  tell(params: JsonObject, during: readonly OpenCall[], late: readonly string[]): void;
  /** Has a legacy server say more than it would by itself, when a caller wants that. */
  prepare(level: string | undefined): Promise<void> | undefined;
  /** What the caller of this call hears. */
  filtered(call: UpstreamCall): ((event: CallEvent) => void) | undefined;
}

export function createLogs({ client, era, exchange, secrets, timeoutMs }: LogsParts): Logs {
  let becomingVerbose: Promise<void> | undefined;

  /** A connection has one level for all, so it is never made to say less: each caller's own level is kept to elsewhere. */
  async function beVerbose(): Promise<void> {
    const request = { method: "logging/setLevel", params: { level: "debug" }, timeoutMs, maxTotalMs: timeoutMs };
    await exchange.request(request).catch(() => undefined);
  }

  return {
    tell(params, during, late) {
      // What one caller's call says is not another's to hear.
      const [first] = during;
      if (during.some(({ actorId }) => actorId !== first?.actorId)) return;
      if (late.some((actorId) => actorId !== first?.actorId)) return;
      const event = toLogEvent(params, secrets);
      for (const { onEvent, ended } of during) if (!ended.aborted) onEvent?.(event);
    },
    prepare(level) {
      if (era === "modern" || level !== "debug" || client.getServerCapabilities()?.logging === undefined)
        return undefined;
      becomingVerbose ??= beVerbose();
      return becomingVerbose;
    },
    filtered({ onEvent, logLevel }) {
      if (onEvent === undefined) return undefined;
      const isUnasked = (event: CallEvent): boolean =>
        becomingVerbose !== undefined && logLevel !== "debug" && event.kind === "log" && event.level === "debug";
      return (event) => (isUnasked(event) ? undefined : onEvent(event));
    },
  };
}
