// The wrapper shell of a server is killed in the middle of a call: the result is the same as when the server is killed,
// and the server ends too.
import type { RowOptions, RowResult } from "../../support/row.js";
import { killServers } from "../../support/server-kills.js";

/** `count`: the number of kills. */
export function wrapperKills(options: RowOptions): Promise<RowResult> {
  return killServers(options, { title: "kill -9 of the wrapper shell of the server", isWrapped: true });
}
