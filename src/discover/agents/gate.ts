// An address that an agent names comes in; it may be asked, or the reason why not is thrown. Where the name leads is checked when
// it is connected to.
import { DiscoveryError } from "../../errors.js";
import type { JsonObject } from "../../model/json.js";
import { compileGlob } from "../../rules/glob.js";
import { fold } from "../../rules/subject.js";
import type { ToolFilesOptions } from "../../toolfiles/options.js";
import { commandLine } from "../../util/command-line.js";
import { whyNotAsked } from "../../util/net/pinned-lookup.js";

/** Where a server of the configuration is reached. */
export interface ServerAddress {
  readonly server: string;
  readonly url: string;
}

/** Throws POLICY_DENIED for what no agent may do. */
export function admit(args: JsonObject, agents: ToolFilesOptions["agents"]): URL {
  if (!agents.discover) {
    const hint = "Ask your person to run `anygpt mcp discover`, or to set toolFiles.agents.discover.";
    throw denied("Agents may not discover servers here.", hint);
  }
  refuseCommands(args);
  const { url: given } = args;
  if (typeof given !== "string" || !URL.canParse(given)) {
    throw new DiscoveryError("INVALID_REQUEST", "There is no address to ask.", {
      hint: 'Pass url, such as "https://mcp.example.com/mcp".',
    });
  }
  const url = new URL(given);
  const why = url.protocol === "https:" ? whyNotAsked(url, false) : `${url.protocol}// is not https://`;
  if (why !== undefined) throw forPeople(`An agent may not ask this address: ${why}.`, ["--url", given]);
  const host = hostOf(url);
  if (!agents.hosts.some((pattern) => compileGlob(pattern).test(fold(host)))) {
    const hint = "Ask your person to add it to toolFiles.agents.hosts, or to run `anygpt mcp discover` themselves.";
    throw denied(`${host} is not among the hosts that agents may ask.`, hint);
  }
  return url;
}

/** A call of a server that is configured goes through its rules, and nowhere past them. */
export function refuseConfigured(url: URL, addresses: readonly ServerAddress[], allowed?: string): void {
  const there = addresses.filter((one) => URL.canParse(one.url) && hostOf(new URL(one.url)) === hostOf(url));
  const [found] = there;
  if (found === undefined || there.some(({ server }) => server === allowed)) return;
  const hint = `Find its tools with search_tools (server "${found.server}"), and call them with execute_tool.`;
  throw denied(`${hostOf(url)} is the configured server ${found.server}.`, hint);
}

function refuseCommands({ transport, command, args }: JsonObject): void {
  if (command === undefined && (transport === undefined || transport === "http" || transport === "sse")) return;
  const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === "string");
  throw forPeople("Agents never start a command.", ["--", ...(words.length === 0 ? ["COMMAND"] : words)]);
}

function forPeople(message: string, words: readonly string[]): DiscoveryError {
  return denied(message, `It is open to people: ask yours to run \`${discoverCommand(words)}\`.`);
}

/** What a person types. */
export function discoverCommand(words: readonly string[]): string {
  return commandLine(["anygpt", "mcp", "discover", ...words]);
}

function hostOf({ hostname }: URL): string {
  return hostname.toLowerCase().replace(/\.$/, "");
}

function denied(message: string, hint: string): DiscoveryError {
  return new DiscoveryError("POLICY_DENIED", message, { hint });
}
