// Servers are killed in the middle of a call: the caller gets an error at once, and the next call works.
import type { RowOptions, RowResult } from "../../support/row.js";
import { killServers } from "../../support/server-kills.js";

/** `count`: the number of kills. */
export function serverKills(options: RowOptions): Promise<RowResult> {
  return killServers(options, { title: "kill -9 of the server in the middle of a call", isWrapped: false });
}
