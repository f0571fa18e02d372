import { toDiscoveryError } from "../../errors.js";
import type { CallObserver, SentCall } from "../../executor/call-observer.js";
import type { EndedCall } from "../../metrics/metrics.js";
import type { Call } from "../../model/call.js";
import type { Tool } from "../../model/tool.js";
import type { Span, Tracing } from "../../tracing/open-tracing.js";
import { parseTraceparent, toTraceparent } from "../../tracing/trace-context.js";
import type { UpstreamCall } from "../../upstreams/types.js";
import type { ObservationSinks } from "./sinks.js";

/** Reports one call to metrics, traces and the log. */
export function observeCall(call: Call, requestId: string, sinks: ObservationSinks): CallObserver {
  const { metrics, tracing, log, elapsed } = sinks;
  const began = elapsed();
  const spans = tracing && traceCall(call, requestId, tracing);
  /** The called tool; set once it is found. Names that callers invent must not appear in metric labels or spans. */
  let known: { readonly tool: Tool; readonly risk: string } | undefined;
  metrics?.callBegan();

  const ended = (outcome: EndedCall["outcome"], code?: string): void => {
    const ms = elapsed() - began;
    const { server = "", id = "An unknown tool" } = known?.tool ?? {};
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
      surface: call.context.actor.surface,
      actor: call.context.actor.id,
    });
  };

  return {
    found(tool, risk) {
      known = { tool, risk };
      spans?.found(tool, risk);
    },
    sent: (sent) => spans?.sent(sent) ?? { call: sent, answered: () => undefined, failed: () => undefined },
    answered: (result) => ended(call.dryRun === true ? "dry_run" : result.isError === true ? "tool_error" : "ok"),
    failed: (error) => ended("error", toDiscoveryError(error).code),
  };
}

/**
 * Creates a trace span for the call with two child spans: the policy decision (from finding the tool until sending the
 * request) and the request to the server.
 */
function traceCall({ context: { meta, actor } }: Call, requestId: string, tracing: Tracing) {
  const callSpan = tracing.begin("execute_tool", {
    kind: "server",
    parent: parseTraceparent(meta?.["traceparent"]),
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "anygpt.request_id": requestId,
      "anygpt.surface": actor.surface,
    },
  });
  const parent = callSpan.context;
  let policySpan: Span | undefined;
  let toolName = "";

  return {
    found({ server, name }: Tool, risk: string): void {
      toolName = name;
      callSpan.note({ "gen_ai.tool.name": name, "anygpt.server": server, "anygpt.risk": risk });
      policySpan = tracing.begin("policy", { kind: "internal", parent, attributes: { "anygpt.risk": risk } });
    },
    sent(call: UpstreamCall): SentCall {
      policySpan?.end();
      const span = tracing.begin(`tools/call ${toolName}`, {
        kind: "client",
        parent,
        attributes: { "mcp.method.name": "tools/call", "gen_ai.tool.name": toolName },
      });
      const traceparent = toTraceparent(span.context);
      return {
        call: { ...call, traceparent, meta: { ...call.meta, traceparent } },
        answered: ({ isError }) => span.end(isError === true ? "tool_error" : undefined),
        failed: (error) => span.end(toDiscoveryError(error).code),
      };
    },
    ended(outcome: string, code: string | undefined): void {
      policySpan?.end(code);
      callSpan.note({ "anygpt.outcome": outcome, ...(code === undefined ? {} : { "error.type": code }) });
      callSpan.end(code ?? (outcome === "tool_error" ? outcome : undefined));
    },
  };
}
