import { z } from "zod";
import { CONTEXTS } from "./server-requests/attribution.js";
import { environmentNames } from "../util/environment-names.js";

const milliseconds = z.number().int().positive();

/** The section `upstreams` of the configuration. */
export const upstreamOptions = z
  .strictObject({
    inheritEnv: environmentNames
      .default([])
      .describe(
        "Variables of the gateway's environment that stdio servers inherit if their entry has no `inheritEnv`, by name or pattern: `AWS_*`, or `*` for all.",
      ),
    idleMs: milliseconds.default(300_000).describe("Close a connection that has had no call for this long."),
    startTimeoutMs: milliseconds.default(30_000).describe("Time limit for a server to become ready after its start."),
    probeTimeoutMs: milliseconds
      .default(5_000)
      .describe("Longest wait for the first response from a server whose MCP version is still unknown."),
    installTimeoutMs: milliseconds
      .default(600_000)
      .describe(
        "Time limit for a command that downloads the server first (npx, uvx, docker run and others); `startTimeoutMs` begins after it.",
      ),
    startWaitMs: milliseconds
      .default(10_000)
      .describe("Longest time that a call waits for a starting server before it fails with UPSTREAM_STARTING."),
    listTimeoutMs: milliseconds.default(30_000).describe("Longest wait for one page of a server's tool list."),
    pulseTimeoutMs: milliseconds
      .default(10_000)
      .describe(
        "Replace a stdio server that does not answer a ping within this time after a call timed out without any message.",
      ),
    concurrency: z
      .number()
      .int()
      .positive()
      .default(16)
      .describe(
        "Concurrent calls per server; further calls are queued. If several callers use the gateway, one of them gets at most three quarters.",
      ),
    queue: z.number().int().nonnegative().default(64).describe("Queued calls per server; further calls are rejected."),
    queueWaitMs: milliseconds.default(5_000).describe("Longest time that a call waits in a server's queue."),
    writeTimeoutMs: milliseconds
      .default(30_000)
      .describe("Replace a stdio server that has not read its input for this long."),
    keepLogs: z
      .boolean()
      .default(true)
      .describe(
        "Write the standard error of stdio servers to logs/NAME.log in the state folder, at most 1 MiB plus one older file of 1 MiB; `anygpt mcp logs NAME` shows it.",
      ),
    includeContext: z
      .enum(CONTEXTS)
      .default("none")
      .describe(
        "How much of the client's context servers may request with a sampling request. For the client, the gateway is one server: `thisServer` covers the context of all servers behind the gateway.",
      ),
    maxMessageBytes: z
      .number()
      .int()
      .min(1024)
      .default(10 * 1024 * 1024)
      .describe("Largest message accepted from a server; a larger message makes only its own call fail."),
  })
  .describe("Connections to servers: environment, time limits, queues and sizes.");

export type UpstreamOptions = z.output<typeof upstreamOptions>;
