import { DiscoveryError } from "../../src/errors.js";

/** The DiscoveryError that the promise rejects with. */
export async function failure(promise: Promise<unknown>): Promise<DiscoveryError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DiscoveryError)) throw new TypeError("Expected a DiscoveryError.");
  return error;
}
