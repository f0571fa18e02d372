import { DiscoveryError } from "../errors.js";
import { isIdempotencyKey } from "../model/call.js";
import type { JsonObject } from "../model/json.js";
import { KEY_MEMBER } from "../policy/policy.js";

export const KEY_RULE = "expected 1 to 255 visible ASCII characters";

/**
 * Returns the idempotency key of a call from `options.idempotency_key` or from the request's `_meta`. Throws if both
 * are set and differ.
 */
export function idempotencyKeyOf(
  meta: JsonObject | undefined,
  chosen: string | undefined,
  by: string,
): string | undefined {
  if (meta === undefined || !(KEY_MEMBER in meta)) return chosen;
  const key = meta[KEY_MEMBER];
  if (!isIdempotencyKey(key)) throw invalidKey(by, `_meta["${KEY_MEMBER}"]: ${KEY_RULE}`);
  if (chosen !== undefined && chosen !== key)
    throw invalidKey(by, `_meta["${KEY_MEMBER}"] and options.idempotency_key differ`);
  return key;
}

function invalidKey(by: string, problem: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", `${by} received invalid arguments: ${problem}.`, {
    hint: `Pass one idempotency key, in options.idempotency_key or in _meta["${KEY_MEMBER}"], and call again.`,
    facts: { problems: [problem] },
  });
}
