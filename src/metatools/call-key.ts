import { DiscoveryError } from "../errors.js";
import type { JsonObject } from "../model/json.js";
import { KEY_IN_META } from "./execute-tool.js";

const KEY = /^[!-~]{1,255}$/;
export const KEY_RULE = "expected 1 to 255 visible ASCII characters";

export function isKey(value: unknown): value is string {
  return typeof value === "string" && KEY.test(value);
}

export interface CallKey {
  readonly idempotencyKey?: string;
  /** The key is between the caller and us: the server does not see it. */
  readonly meta?: JsonObject;
}

/** The key of a call, which may also stand in the request's metadata, and the metadata that goes on. */
export function takeKey(meta: JsonObject | undefined, chosen: string | undefined, by: string): CallKey {
  if (meta === undefined || !(KEY_IN_META in meta)) {
    return { ...(chosen === undefined ? {} : { idempotencyKey: chosen }), ...(meta === undefined ? {} : { meta }) };
  }
  const { [KEY_IN_META]: key, ...rest } = meta;
  if (!isKey(key)) throw wrongKey(by, `_meta["${KEY_IN_META}"]: ${KEY_RULE}`);
  if (chosen !== undefined && chosen !== key)
    throw wrongKey(by, `_meta["${KEY_IN_META}"] and options.idempotency_key are not the same`);
  return { idempotencyKey: key, ...(Object.keys(rest).length > 0 ? { meta: rest } : {}) };
}

function wrongKey(by: string, problem: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", `${by} was called wrongly: ${problem}.`, {
    hint: "Pass one key, in one of the two places, and call again.",
    facts: { problems: [problem] },
  });
}
