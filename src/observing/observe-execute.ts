import type { Execute, ExecutorParts } from "../executor/execute.js";
import type { Call } from "../model/call.js";
import type { Tool } from "../model/tool.js";
import { type PassingCall, watchCall } from "./passing-call.js";
import type { Watchers } from "./watchers.js";

/** What a call passes through on its way. */
export type Passed = Pick<ExecutorParts, "resolve" | "send">;

export interface ObserveParts extends Passed {
  readonly riskOf: (tool: Tool) => string;
  readonly newId: () => string;
}

/** Calls carried out as `make` makes it of the parts, and watched. */
export function observeExecute(watchers: Watchers, parts: ObserveParts, make: (passed: Passed) => Execute): Execute {
  const underWay = new Map<string, PassingCall>();

  const execute = make({
    async resolve(call, waitMs, signal) {
      const tool = await parts.resolve(call, waitMs, signal);
      underWay.get(call.requestId ?? "")?.found(tool, parts.riskOf(tool));
      return tool;
    },
    async send(tool, outgoing, signal) {
      const sent = underWay.get(outgoing.requestId)?.sent(outgoing);
      if (sent === undefined) return await parts.send(tool, outgoing, signal);
      try {
        const result = await parts.send(tool, sent.outgoing, signal);
        sent.answered(result);
        return result;
      } catch (error) {
        sent.failed(error);
        throw error;
      }
    },
  });

  return async (given, signal) => {
    const requestId = given.requestId ?? parts.newId();
    const call: Call = { ...given, requestId };
    const passing = watchCall(call, requestId, watchers);
    underWay.set(requestId, passing);
    try {
      const result = await execute(call, signal);
      passing.answered(result);
      return result;
    } catch (error) {
      passing.failed(error);
      throw error;
    } finally {
      if (underWay.get(requestId) === passing) underWay.delete(requestId);
    }
  };
}
