import { DiscoveryError } from "../../errors.js";

/**
 * For work that precedes a call, such as fetching a token. If the work fails, the thrown error says that the call was
 * not sent, even if a request of the work itself was executed.
 */
export async function beforeSending<Result>(work: Promise<Result>, server: string): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DiscoveryError) || error.code === "CANCELLED" || error.executed === "no") throw error;
    throw new DiscoveryError("SERVER_CONNECTION_ERROR", error.message, {
      hint: ["Nothing was sent.", { action: "retry" }],
      facts: error.facts,
      server,
      cause: error,
    });
  }
}
