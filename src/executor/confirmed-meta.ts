// The `_meta` of a call that a user confirms. The server gets only what the user sees: members that the user cannot
// judge are neither shown nor sent.
import type { JsonObject } from "../model/json.js";

export interface ConfirmedMeta {
  /** The members that the approval is bound to and that the user sees; undefined if there are none. */
  readonly shown: JsonObject | undefined;
  /** The members that are sent: the shown ones and the trace id. */
  readonly sent: JsonObject | undefined;
}

/** Members of the protocol and of the gateway. They describe the caller's connection, so they are not forwarded. */
const OWN = /^(?:io\.modelcontextprotocol|anygpt)\//;
const OWN_NAMES: ReadonlySet<string> = new Set(["progressToken", "tracestate", "baggage"]);
const TRACE = "traceparent";
const TRACE_ID = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
/**
 * Ids that clients choose anew for every request, such as `claudecode/toolUseId`. An approval that is bound to such an
 * id could never be used, because the repeated call has another one. They are not sent, so no caller can pass anything
 * to the server under such a name.
 */
const REQUEST_ID =
  /(?:^|[/._-])(?:tool_?use|tool_?call|call|request|conversation|session|thread|turn|message|span|correlation)[-_.]?(?:id|metadata)$/i;

export function toConfirmedMeta(meta: JsonObject | undefined): ConfirmedMeta {
  const members = Object.entries(meta ?? {}).filter(
    ([name]) => !OWN.test(name) && !OWN_NAMES.has(name) && name !== TRACE && !REQUEST_ID.test(name),
  );
  const shown = members.length === 0 ? undefined : Object.fromEntries(members);
  const trace = meta?.[TRACE];
  const hasTrace = typeof trace === "string" && TRACE_ID.test(trace);
  return { shown, sent: hasTrace ? { ...shown, [TRACE]: trace } : shown };
}
