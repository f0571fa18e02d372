import { DiscoveryError, type ErrorCode } from "../../errors.js";

/** A request that is refused for its form or its sender, before anything is asked of the gateway. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 429 | 503;
  readonly error: DiscoveryError;
  readonly headers?: Readonly<Record<string, string>>;
  /** What follows on the connection cannot be relied upon. */
  readonly closes?: true;
}

/** Thrown by what reads a request. */
export class RefusedRequest extends Error {
  override readonly name = "RefusedRequest";

  constructor(readonly refusal: Refusal) {
    super(refusal.error.message);
  }
}

const CODES: Partial<Record<Refusal["status"], ErrorCode>> = {
  401: "UNAUTHORIZED",
  429: "RATE_LIMITED",
  503: "OVERLOADED",
};

export function refuse(
  status: Refusal["status"],
  [message, hint]: readonly [message: string, hint: string],
  more: Pick<Refusal, "headers" | "closes"> = {},
): RefusedRequest {
  const error = new DiscoveryError(CODES[status] ?? "INVALID_REQUEST", message, { hint });
  return new RefusedRequest({ status, error, ...more });
}

/** The same whether a path is nothing to anybody, or to this caller. */
export const NO_SUCH_PATH = [
  "There is nothing at this path.",
  "GET /openapi.json describes all that there is.",
] as const;
