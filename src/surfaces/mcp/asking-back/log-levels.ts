import { LOG_LEVEL_META_KEY, type Server, type ServerContext } from "@modelcontextprotocol/server";
import type { CallEvent } from "../../../model/call.js";
import { isJsonObject, type JsonObject } from "../../../model/json.js";
import type { RequestContext } from "../request-context.js";

type Level = Parameters<ServerContext["mcpReq"]["log"]>[0];

/** From the least severe on. */
const LEVELS: readonly Level[] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** What a client that never said anything is thought to want of servers that send nothing unasked. */
const USUAL: Level = "info";

export interface LogLevels {
  /** What a server is asked to send for this request; undefined when nothing. */
  wanted(context: RequestContext): string | undefined;
  /** Tells the client of what happens while its request is under way. */
  listener(context: RequestContext): (event: CallEvent) => void;
}

/** The level of one client: set once for all of its requests in the legacy era, said with each in the modern one. */
export function createLogLevels(server: Server, era: "legacy" | "modern"): LogLevels {
  let chosen: Level | undefined;
  if (era === "legacy") {
    server.setRequestHandler("logging/setLevel", ({ params }) => {
      chosen = params.level;
      return {};
    });
  }

  const levelOf = ({ mcpReq }: RequestContext): Level | undefined => {
    if (era === "legacy") return chosen;
    const envelope: unknown = mcpReq.envelope;
    return isJsonObject(envelope) ? toLevel(envelope[LOG_LEVEL_META_KEY]) : undefined;
  };

  /** A modern client that says nothing wants nothing; a legacy one gets what comes. */
  const isWanted = (level: Level, context: RequestContext): boolean => {
    const least = levelOf(context);
    if (least === undefined) return era === "legacy";
    return LEVELS.indexOf(level) >= LEVELS.indexOf(least);
  };

  return {
    wanted: (context) => levelOf(context) ?? (era === "legacy" ? USUAL : undefined),
    listener(context) {
      const { mcpReq } = context;
      const { progressToken } = (isJsonObject(mcpReq._meta) ? mcpReq._meta : {}) as JsonObject;
      // A notification that cannot be written means that the client is gone; the transport notices by itself.
      const notify = (method: string, params: JsonObject): void =>
        void mcpReq.notify({ method, params }).catch(() => undefined);
      return (event) => {
        const { kind, ...params } = event;
        if (kind === "progress") {
          if (progressToken !== undefined) notify("notifications/progress", { progressToken, ...params });
          return;
        }
        const level = toLevel("level" in params ? params.level : undefined) ?? USUAL;
        if (isWanted(level, context)) notify("notifications/message", { ...params, level });
      };
    },
  };
}

function toLevel(level: unknown): Level | undefined {
  return LEVELS.find((one) => one === level);
}
