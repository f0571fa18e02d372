// The shell around a server is killed in the middle of a call: the same as for the server, which ends with it.
import type { RowOptions, RowResult } from "../../support/row.js";
import { killServers } from "../../support/server-kills.js";

/** `count`: how many kills there are. */
export function wrapperKills(options: RowOptions): Promise<RowResult> {
  return killServers(options, { title: "kill -9 of the shell around the server", isWrapped: true });
}
