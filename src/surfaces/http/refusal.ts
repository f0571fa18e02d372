import { DiscoveryError, type ErrorCode } from "../../errors.js";

/** Describes a request that is rejected because of its format or its sender. */
export interface HttpRefusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 429 | 503;
  readonly error: DiscoveryError;
  readonly headers?: Readonly<Record<string, string>>;
  /** Set if the connection must be closed, because the data after this request cannot be parsed reliably. */
  readonly closes?: true;
}

/** Thrown if a request is rejected because of its format or its sender. */
export class RefusedRequest extends Error {
  override readonly name = "RefusedRequest";

  constructor(readonly refusal: HttpRefusal) {
    super(refusal.error.message);
  }
}

const CODES: Partial<Record<HttpRefusal["status"], ErrorCode>> = {
  401: "UNAUTHORIZED",
  429: "RATE_LIMITED",
  503: "OVERLOADED",
};

export function httpRefusal(
  status: HttpRefusal["status"],
  [message, hint]: readonly [message: string, hint: string],
  more: Pick<HttpRefusal, "headers" | "closes"> = {},
): RefusedRequest {
  const error = new DiscoveryError(CODES[status] ?? "INVALID_REQUEST", message, { hint });
  return new RefusedRequest({ status, error, ...more });
}

/** The error for an unknown path, and for a path that is hidden from this caller. */
export const NO_SUCH_PATH = ["The path does not exist.", "Send GET /openapi.json to see all paths."] as const;
