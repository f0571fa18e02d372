import { DiscoveryError } from "../../errors.js";

/** What fails on the way to a call, at another place than the API's, has not run the call, however far it came itself. */
export async function beforeSending<Result>(work: Promise<Result>, server: string): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DiscoveryError) || error.code === "CANCELLED" || error.executed === "no") throw error;
    throw new DiscoveryError("SERVER_CONNECTION_ERROR", error.message, {
      hint: "Nothing of the call was sent; call again later.",
      facts: error.facts,
      server,
      cause: error,
    });
  }
}
