// Risky calls that were sent of late, so that one is noticed that says the same under another key, or after the answer was
// lost: a caller that makes up a new key for the same intention. It can be told, not prevented. Calls that are repeated
// without keys and answered are nothing: that is how one looks again. Only this process's own calls are known.
import { createHash } from "node:crypto";
import type { JsonObject } from "../model/json.js";
import { canonicalJson } from "../util/json/canonical.js";

export interface RiskyCall {
  readonly actorId: string;
  readonly toolId: string;
  /** Without the key, where the tool takes it among them. */
  readonly arguments: JsonObject;
  readonly key: string | undefined;
  readonly requestId: string;
}

/** The last call that was the same. */
export interface Repeated {
  readonly requestId: string;
  readonly ageMs: number;
}

/** As callers are told of it. */
export function toRepeatedFact({ requestId, ageMs }: Repeated): JsonObject {
  return { request_id: requestId, seconds_ago: Math.round(ageMs / 1000) };
}

export interface Repeats {
  /** To be called when the call is about to be sent. */
  note(call: RiskyCall): Repeated | undefined;
  /** It was not sent after all. */
  forget(call: RiskyCall): void;
  /** Nobody knows whether it ran. */
  lost(call: RiskyCall): void;
}

interface Sent extends Pick<RiskyCall, "requestId" | "key"> {
  readonly at: number;
  isLost: boolean;
}

const WINDOW_MS = 600_000;
const MOST = 10_000;

export function createRepeats(elapsed: () => number): Repeats {
  /** In the order in which they were sent; the last of each kind, and the one before it. */
  const sent = new Map<string, { readonly last: Sent; readonly before: Sent | undefined }>();

  const prune = (now: number): void => {
    for (const [text, { last }] of sent) {
      if (last.at > now - WINDOW_MS && sent.size < MOST) return;
      sent.delete(text);
    }
  };

  return {
    note(call) {
      const { requestId, key } = call;
      const at = elapsed();
      prune(at);
      const text = digestOf(call);
      const known = sent.get(text)?.last;
      // What was sent after all of the others may stand behind them.
      const before = known !== undefined && known.at > at - WINDOW_MS ? known : undefined;
      sent.delete(text);
      sent.set(text, { last: { requestId, key, at, isLost: false }, before });
      if (before === undefined || before.requestId === requestId) return undefined;
      const isOdd = before.key === key ? key === undefined && before.isLost : true;
      return isOdd ? { requestId: before.requestId, ageMs: at - before.at } : undefined;
    },
    forget(call) {
      const text = digestOf(call);
      const known = sent.get(text);
      if (known?.last.requestId !== call.requestId) return;
      sent.delete(text);
      if (known.before !== undefined) sent.set(text, { last: known.before, before: undefined });
    },
    lost(call) {
      const known = sent.get(digestOf(call));
      if (known?.last.requestId === call.requestId) known.last.isLost = true;
    },
  };
}

function digestOf({ actorId, toolId, arguments: given }: RiskyCall): string {
  return createHash("sha256")
    .update(canonicalJson([actorId, toolId, given]))
    .digest("base64");
}
