import { toDiscoveryError } from "../errors.js";
import type { OutgoingCall } from "../executor/execute.js";
import type { EndedCall } from "../metrics/metrics.js";
import type { Call, CallResult } from "../model/call.js";
import type { Tool } from "../model/tool.js";
import type { Span, Tracing } from "../tracing/open-tracing.js";
import { parseTraceparent, toTraceparent } from "../tracing/trace-context.js";
import type { Watchers } from "./watchers.js";

/** A call on its way, as those see it who watch. */
export interface PassingCall {
  found(tool: Tool, risk: string): void;
  /** What is sent in its place, and where to tell what came of it. */
  sent(outgoing: OutgoingCall): SentCall;
  answered(result: CallResult): void;
  failed(error: unknown): void;
}

export interface SentCall {
  readonly outgoing: OutgoingCall;
  answered(result: CallResult): void;
  failed(error: unknown): void;
}

export function watchCall(call: Call, requestId: string, watchers: Watchers): PassingCall {
  const { metrics, tracing, log, elapsed } = watchers;
  const began = elapsed();
  const spans = tracing && traceCall(call, requestId, tracing);
  /** What callers make up is in no label and no span. */
  let known: { readonly tool: Tool; readonly risk: string } | undefined;
  metrics?.callBegan();

  const ended = (outcome: EndedCall["outcome"], code?: string): void => {
    const ms = elapsed() - began;
    const { server = "", id = "A tool that is not known" } = known?.tool ?? {};
    const risk = known?.risk ?? "";
    metrics?.callEnded({ server, risk, outcome, seconds: ms / 1000, ...(code === undefined ? {} : { code }) });
    spans?.ended(outcome, code);
    log?.(`${id} was called: ${code ?? outcome}, ${Math.round(ms)} ms.`, {
      level: "debug",
      request_id: requestId,
      ...(known === undefined ? {} : { tool: id, risk }),
      outcome,
      ...(code === undefined ? {} : { code }),
      duration_ms: Math.round(ms * 1000) / 1000,
      surface: call.actor.surface,
      actor: call.actor.id,
    });
  };

  return {
    found(tool, risk) {
      known = { tool, risk };
      spans?.found(tool, risk);
    },
    sent: (outgoing) => spans?.sent(outgoing) ?? { outgoing, answered: () => undefined, failed: () => undefined },
    answered: (result) => ended(call.dryRun === true ? "dry_run" : result.isError === true ? "tool_error" : "ok"),
    failed: (error) => ended("error", toDiscoveryError(error).code),
  };
}

/** One span for the call; in it one for the decision about it, from the tool's being found to its being sent, and one for the server's part. */
function traceCall({ meta, actor }: Call, requestId: string, tracing: Tracing) {
  const whole = tracing.begin("execute_tool", {
    kind: "server",
    parent: parseTraceparent(meta?.["traceparent"]),
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "anygpt.request_id": requestId,
      "anygpt.surface": actor.surface,
    },
  });
  const parent = whole.context;
  let deciding: Span | undefined;
  let toolName = "";

  return {
    found({ server, name }: Tool, risk: string): void {
      toolName = name;
      whole.note({ "gen_ai.tool.name": name, "anygpt.server": server, "anygpt.risk": risk });
      deciding = tracing.begin("policy", { kind: "internal", parent, attributes: { "anygpt.risk": risk } });
    },
    sent(outgoing: OutgoingCall): SentCall {
      deciding?.end();
      const span = tracing.begin(`tools/call ${toolName}`, {
        kind: "client",
        parent,
        attributes: { "mcp.method.name": "tools/call", "gen_ai.tool.name": toolName },
      });
      const traceparent = toTraceparent(span.context);
      return {
        outgoing: { ...outgoing, traceparent, meta: { ...outgoing.meta, traceparent } },
        answered: ({ isError }) => span.end(isError === true ? "tool_error" : undefined),
        failed: (error) => span.end(toDiscoveryError(error).code),
      };
    },
    ended(outcome: string, code: string | undefined): void {
      deciding?.end(code);
      whole.note({ "anygpt.outcome": outcome, ...(code === undefined ? {} : { "error.type": code }) });
      whole.end(code ?? (outcome === "tool_error" ? outcome : undefined));
    },
  };
}
