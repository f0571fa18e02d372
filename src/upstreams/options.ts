import { z } from "zod";
import { environmentNames } from "../util/environment-names.js";

const milliseconds = z.number().int().positive();

/** The section `upstreams` of the configuration. */
export const upstreamOptions = z
  .strictObject({
    inheritEnv: environmentNames
      .default([])
      .describe(
        "Variables of the gateway's own environment that every program gets whose entry has no `inheritEnv`, by name or pattern: `AWS_*`, or `*` for all.",
      ),
    idleMs: milliseconds.default(300_000).describe("Close a connection that has had no call for this long."),
    startTimeoutMs: milliseconds.default(30_000).describe("Give up on a server that is not ready after this long."),
    probeTimeoutMs: milliseconds
      .default(5_000)
      .describe("How long a server whose protocol era is unknown may leave the first question unanswered."),
    installTimeoutMs: milliseconds
      .default(600_000)
      .describe(
        "Longest installation by a command that downloads the server first (npx, uvx, docker run and others); `startTimeoutMs` counts from its end.",
      ),
    startWaitMs: milliseconds
      .default(10_000)
      .describe("Longest that a call waits for a starting server before it answers UPSTREAM_STARTING."),
    listTimeoutMs: milliseconds.default(30_000).describe("Longest wait for one page of a server's tool list."),
    pulseTimeoutMs: milliseconds
      .default(10_000)
      .describe(
        "Replace a stdio server that let a call time out in silence and then does not answer a ping for this long.",
      ),
    concurrency: z.number().int().positive().default(16).describe("Calls in flight per server; more are queued."),
    queue: z.number().int().nonnegative().default(64).describe("Calls waiting per server; more are refused."),
    queueWaitMs: milliseconds.default(5_000).describe("Longest that a call waits in a server's queue."),
    writeTimeoutMs: milliseconds
      .default(30_000)
      .describe("Replace a stdio server that has not read its input for this long."),
    keepLogs: z
      .boolean()
      .default(true)
      .describe(
        "Keep what stdio servers write to standard error in logs/NAME.log of the state folder, at most 1 MiB and the 1 MiB before it; `anygpt mcp logs NAME` shows it.",
      ),
    maxMessageBytes: z
      .number()
      .int()
      .min(1024)
      .default(10 * 1024 * 1024)
      .describe("Largest message accepted from a server; a larger one fails its own call only."),
  })
  .describe("Connections to servers: environment, time limits, queues and sizes.");

export type UpstreamOptions = z.output<typeof upstreamOptions>;
