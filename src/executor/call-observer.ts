import type { Call, CallResult } from "../model/call.js";
import type { Tool } from "../model/tool.js";
import type { UpstreamCall } from "../upstreams/types.js";

/** Observes one call for metrics, traces and the log. */
export interface CallObserver {
  found(tool: Tool, risk: string): void;
  /** Returns the call to send instead of this one, for example with a trace header. */
  sent(call: UpstreamCall): SentCall;
  answered(result: CallResult): void;
  failed(error: unknown): void;
}

/** A call that is being sent, with callbacks for the response of the server. */
export interface SentCall {
  readonly call: UpstreamCall;
  answered(result: CallResult): void;
  failed(error: unknown): void;
}

export type ObserveCall = (call: Call, requestId: string) => CallObserver;
