// A session for the gateway's built-in tools. It starts no process and opens no connection.
import { DiscoveryError } from "../errors.js";
import type { CallResult } from "../model/call.js";
import type { BuiltInTool } from "../model/built-in.js";
import type { UpstreamSession } from "./session.js";
import type { UpstreamCall } from "./types.js";

export function openBuiltInSession(server: string, tools: readonly BuiltInTool[]): UpstreamSession {
  let isClosed = false;

  async function callTool(call: UpstreamCall): Promise<CallResult> {
    const { signal } = call.context;
    const tool = tools.find(({ definition }) => definition.name === call.tool);
    if (tool === undefined) throw new DiscoveryError("TOOL_NOT_FOUND", `${server} has no tool "${call.tool}".`);
    signal?.throwIfAborted();
    const limit = AbortSignal.timeout(Math.min(call.timeoutMs, call.maxTotalMs));
    try {
      return await tool.run(call.arguments, {
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
        isConfirmed: call.isConfirmed === true,
      });
    } catch (error) {
      if (limit.aborted && signal?.aborted !== true) throw tooSlow(server, call);
      throw error;
    }
  }

  return {
    era: "modern",
    get closed() {
      return isClosed;
    },
    listTools: () =>
      Promise.resolve({
        tools: tools.map(({ definition }) => definition),
        dropped: [],
        truncated: false,
        era: "modern",
      }),
    callTool,
    watchList: () => undefined,
    close() {
      isClosed = true;
      return Promise.resolve();
    },
  };
}

function tooSlow(server: string, { tool, timeoutMs }: UpstreamCall): DiscoveryError {
  return new DiscoveryError("TOOL_EXECUTION_TIMEOUT", `${server}:${tool} did not end within ${timeoutMs / 1000} s.`, {
    hint: { action: "raise-timeout" },
    server,
    tool,
    executed: "unknown",
  });
}
