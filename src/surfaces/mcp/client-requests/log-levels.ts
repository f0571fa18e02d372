import { LOG_LEVEL_META_KEY, type Server, type ServerContext } from "@modelcontextprotocol/server";
import type { CallEvent } from "../../../model/call.js";
import { isJsonObject, type JsonObject } from "../../../model/json.js";
import type { RequestContext } from "../request-context.js";

type Level = Parameters<ServerContext["mcpReq"]["log"]>[0];

/** The log levels of MCP, least severe first. */
const LEVELS: readonly Level[] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** The level that is requested from servers for a legacy client (MCP before 2026-07-28) that never set a level. */
const DEFAULT_LEVEL: Level = "info";

export interface LogLevels {
  /**
   * Returns the log level to request from a server during this request; undefined if the client wants no log messages.
   */
  wanted(context: RequestContext): string | undefined;
  /** Returns a listener that sends progress and log messages to the client while its request is in progress. */
  listener(context: RequestContext): (event: CallEvent) => void;
}

/**
 * Keeps the log level of one client. Legacy clients set it for all requests (`logging/setLevel`); modern clients (MCP
 * 2026-07-28 and later) send it with each request.
 */
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

  /**
   * Whether to send a log message to the client. If no level is set, a modern client gets no log messages and a legacy
   * client gets all.
   */
  const isWanted = (level: Level, context: RequestContext): boolean => {
    const minimum = levelOf(context);
    if (minimum === undefined) return era === "legacy";
    return LEVELS.indexOf(level) >= LEVELS.indexOf(minimum);
  };

  return {
    wanted: (context) => levelOf(context) ?? (era === "legacy" ? DEFAULT_LEVEL : undefined),
    listener(context) {
      const { mcpReq } = context;
      const { progressToken } = (isJsonObject(mcpReq._meta) ? mcpReq._meta : {}) as JsonObject;
      // Errors are ignored: if a notification cannot be sent, the client has disconnected, which the transport detects.
      const notify = (method: string, params: JsonObject): void =>
        void mcpReq.notify({ method, params }).catch(() => undefined);
      return (event) => {
        const { kind, ...params } = event;
        if (kind === "progress") {
          if (progressToken !== undefined) notify("notifications/progress", { progressToken, ...params });
          return;
        }
        const level = toLevel("level" in params ? params.level : undefined) ?? DEFAULT_LEVEL;
        if (isWanted(level, context)) notify("notifications/message", { ...params, level });
      };
    },
  };
}

function toLevel(level: unknown): Level | undefined {
  return LEVELS.find((one) => one === level);
}
