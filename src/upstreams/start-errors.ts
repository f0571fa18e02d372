import { DiscoveryError } from "../errors.js";
import { RETRY_AFTER_SECONDS } from "../model/start.js";
import type { Pause } from "./breaker.js";
import { quoteStderr } from "./process/exit.js";
import type { UpstreamState } from "./types.js";

export function toStartReason(error: unknown, server: string): DiscoveryError {
  if (error instanceof DiscoveryError) return error.about({ server });
  return new DiscoveryError("INTERNAL_ERROR", `The connection to ${server} failed because of an internal error.`, {
    hint: "Report the defect and attach the gateway's log.",
    server,
    cause: error,
  });
}

export function startPaused({ reason, retryAt, open }: Pause, now: number): DiscoveryError {
  const seconds = Math.ceil((retryAt - now) / 1000);
  const why = open ? "The server failed repeatedly" : "The last start of the server failed";
  return new DiscoveryError(reason.code, reason.message, {
    hint: [
      `${why}.`,
      ...reason.nextSteps.filter(({ action }) => action !== "retry"),
      { action: "retry", afterSeconds: seconds },
    ],
    facts: { ...reason.facts, retryAfterMs: Math.ceil(retryAt - now) },
    server: reason.server,
    cause: reason,
  });
}

export function stillStarting(server: string, state: UpstreamState, now: number): DiscoveryError {
  const { since = now, isInstalling = false } = state.kind === "starting" ? state : {};
  const forMs = now - since;
  const doing = isInstalling ? "installing" : "starting";
  const message = `${server} is still ${doing} after ${Math.round(forMs / 1000)} s.`;
  return new DiscoveryError("UPSTREAM_STARTING", message, {
    hint: [
      { action: "retry", afterSeconds: RETRY_AFTER_SECONDS },
      `The ${isInstalling ? "installation" : "start"} continues in the background.`,
    ],
    facts: {
      startingForMs: Math.round(forMs),
      retry_after_seconds: RETRY_AFTER_SECONDS,
      ...(isInstalling ? { isInstalling } : {}),
    },
    server,
  });
}

export function startCancelled(server: string): DiscoveryError {
  return new DiscoveryError("CANCELLED", `The call was cancelled before it was sent to ${server}.`, { server });
}

export function gatewayClosing(server: string): DiscoveryError {
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `${server} was not called: the gateway is shutting down.`, {
    hint: { action: "retry" },
    server,
  });
}

export function startTimedOut(
  server: string,
  limitMs: number,
  stderr: readonly string[],
  isInstalling: boolean,
): DiscoveryError {
  const what = isInstalling ? "was still installing after" : "was not ready within";
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `${server} ${what} ${limitMs / 1000} s${quoteStderr(stderr)}`, {
    hint: isInstalling
      ? [{ action: "retry", afterSeconds: 60 }, "The installation continues in the background."]
      : `Check that ${server} is an MCP server. If it installs packages when it starts, start it once in a terminal.`,
    facts: { startTimeoutMs: limitMs },
    server,
  });
}
