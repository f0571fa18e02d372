import { DiscoveryError } from "../../errors.js";
import { CLIENT_IDS, type ClientId } from "../../sources/options.js";
import { nearestWord } from "../../util/edit-distance.js";

/** Converts the names of MCP clients to ids. `all` stands for every client. */
export function toClients(named: readonly string[]): ClientId[] {
  if (named.includes("all")) return [...CLIENT_IDS];
  return named.map((name) => {
    const known = CLIENT_IDS.find((id) => id === name);
    if (known !== undefined) return known;
    const nearest = nearestWord(name, CLIENT_IDS);
    const hint = nearest === undefined ? `Use one of ${CLIENT_IDS.join(", ")}, or all.` : `Did you mean ${nearest}?`;
    throw new DiscoveryError("INVALID_REQUEST", `"${name}" is not a known MCP client.`, { hint });
  });
}
