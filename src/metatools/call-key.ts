import { DiscoveryError } from "../errors.js";
import { isIdempotencyKey } from "../model/call.js";
import type { JsonObject } from "../model/json.js";
import { KEY_MEMBER } from "../policy/policy.js";

export const KEY_RULE = "expected 1 to 255 visible ASCII characters";

export interface CallKey {
  readonly idempotencyKey?: string;
  /** The key is between the caller and us: the server does not see it. */
  readonly meta?: JsonObject;
}

/** The key of a call, which may also stand in the request's metadata, and the metadata that goes on. */
export function takeKey(meta: JsonObject | undefined, chosen: string | undefined, by: string): CallKey {
  if (meta === undefined || !(KEY_MEMBER in meta)) {
    return { ...(chosen === undefined ? {} : { idempotencyKey: chosen }), ...(meta === undefined ? {} : { meta }) };
  }
  const { [KEY_MEMBER]: key, ...rest } = meta;
  if (!isIdempotencyKey(key)) throw wrongKey(by, `_meta["${KEY_MEMBER}"]: ${KEY_RULE}`);
  if (chosen !== undefined && chosen !== key)
    throw wrongKey(by, `_meta["${KEY_MEMBER}"] and options.idempotency_key are not the same`);
  return { idempotencyKey: key, ...(Object.keys(rest).length > 0 ? { meta: rest } : {}) };
}

function wrongKey(by: string, problem: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", `${by} was called wrongly: ${problem}.`, {
    hint: "Pass one key, in one of the two places, and call again.",
    facts: { problems: [problem] },
  });
}
