import type { Call, CallResult } from "../model/call.js";
import type { Tool } from "../model/tool.js";
import type { UpstreamCall } from "../upstreams/types.js";

/** Receives the events of one call for metrics, traces and the call log. */
export interface CallObserver {
  found(tool: Tool, risk: string): void;
  /** Called right before the call is sent. Returns the call to send instead, for example with a trace header. */
  sent(call: UpstreamCall): SentCall;
  answered(result: CallResult): void;
  failed(error: unknown): void;
}

/** A call that is being sent, with callbacks for the server's response. */
export interface SentCall {
  readonly call: UpstreamCall;
  answered(result: CallResult): void;
  failed(error: unknown): void;
}

export type ObserveCall = (call: Call, requestId: string) => CallObserver;
