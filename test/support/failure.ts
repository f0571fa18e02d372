import { DiscoveryError } from "../../src/errors.js";

/** The error of ours that the promise is rejected with. */
export async function failure(promise: Promise<unknown>): Promise<DiscoveryError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DiscoveryError)) throw new TypeError("Expected a DiscoveryError.");
  return error;
}
