// The gateway's own tools come in, a session like any other goes out: nothing is started and nothing is connected.
import { DiscoveryError } from "../errors.js";
import type { CallResult } from "../model/call.js";
import type { OwnTool } from "./own-tool.js";
import type { Session } from "./session.js";
import type { UpstreamCall } from "./types.js";

export function openBuiltInSession(server: string, tools: readonly OwnTool[]): Session {
  let isClosed = false;

  async function callTool(call: UpstreamCall, signal?: AbortSignal): Promise<CallResult> {
    const tool = tools.find(({ definition }) => definition.name === call.tool);
    if (tool === undefined) throw new DiscoveryError("TOOL_NOT_FOUND", `${server} has no tool "${call.tool}".`);
    signal?.throwIfAborted();
    const limit = AbortSignal.timeout(Math.min(call.timeoutMs, call.maxTotalMs));
    try {
      return await tool.run(call.arguments, signal === undefined ? limit : AbortSignal.any([signal, limit]));
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
    hint: "Give it more time with options.timeout, or try again later.",
    server,
    tool,
    executed: "unknown",
  });
}
