// Detects probable duplicates of risky calls: the same arguments with another idempotency key, or repeated without a
// key after the response was lost. The gateway only reports duplicates, because they may be intended. A repeated call
// without a key is not reported if the first one got a response: that is how polling works. Only calls of this process
// are known.
import { createHash } from "node:crypto";
import type { JsonObject } from "../model/json.js";
import { canonicalJson } from "../util/json/canonical.js";

export interface RiskyCall {
  readonly actorId: string;
  readonly toolId: string;
  /** The arguments of the call. If the tool accepts the idempotency key as an argument, the key is removed. */
  readonly arguments: JsonObject;
  readonly key: string | undefined;
  readonly requestId: string;
}

/** An earlier call with the same actor, tool and arguments. */
export interface Repeated {
  readonly requestId: string;
  readonly ageMs: number;
}

/** The JSON object that describes the earlier call in results and errors. */
export function toRepeatedFact({ requestId, ageMs }: Repeated): JsonObject {
  return { request_id: requestId, seconds_ago: Math.round(ageMs / 1000) };
}

export interface Repeats {
  /** Must be called right before the call is sent. Returns the earlier call that it probably duplicates. */
  register(call: RiskyCall): Repeated | undefined;
  /** Must be called if a registered call did not run. */
  forget(call: RiskyCall): void;
  /** Must be called if it is unknown whether a registered call ran. */
  lost(call: RiskyCall): void;
}

interface Sent extends Pick<RiskyCall, "requestId" | "key"> {
  readonly at: number;
  isLost: boolean;
}

const WINDOW_MS = 600_000;
const MAX_CALLS = 10_000;

export function createRepeats(elapsed: () => number): Repeats {
  /** The last call and the one before it, by digest of actor, tool and arguments. Oldest first. */
  const sent = new Map<string, { readonly last: Sent; readonly before: Sent | undefined }>();

  const prune = (now: number): void => {
    for (const [digest, { last }] of sent) {
      if (last.at > now - WINDOW_MS && sent.size < MAX_CALLS) return;
      sent.delete(digest);
    }
  };

  return {
    register(call) {
      const { requestId, key } = call;
      const at = elapsed();
      prune(at);
      const digest = digestOf(call);
      const known = sent.get(digest)?.last;
      // Check the age again: `forget` can move an expired call to the end, where `prune` does not reach it.
      const before = known !== undefined && known.at > at - WINDOW_MS ? known : undefined;
      sent.delete(digest);
      sent.set(digest, { last: { requestId, key, at, isLost: false }, before });
      if (before === undefined || before.requestId === requestId) return undefined;
      const isProbablyDuplicate = before.key === key ? key === undefined && before.isLost : true;
      return isProbablyDuplicate ? { requestId: before.requestId, ageMs: at - before.at } : undefined;
    },
    forget(call) {
      const digest = digestOf(call);
      const known = sent.get(digest);
      if (known?.last.requestId !== call.requestId) return;
      sent.delete(digest);
      if (known.before !== undefined) sent.set(digest, { last: known.before, before: undefined });
    },
    lost(call) {
      const known = sent.get(digestOf(call));
      if (known?.last.requestId === call.requestId) known.last.isLost = true;
    },
  };
}

function digestOf({ actorId, toolId, arguments: args }: RiskyCall): string {
  return createHash("sha256")
    .update(canonicalJson([actorId, toolId, args]))
    .digest("base64");
}
