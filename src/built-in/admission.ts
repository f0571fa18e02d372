// Checks whether an agent may connect to a URL. Only the URL is checked here; the IP addresses that its host name
// resolves to are checked when the gateway connects.
import { DiscoveryError } from "../errors.js";
import type { JsonObject } from "../model/json.js";
import type { Hint } from "../model/next-steps.js";
import { compileGlob } from "../rules/glob.js";
import type { ToolFilesOptions } from "../toolfiles/options.js";
import { commandLine } from "../util/command-line.js";
import { foldName } from "../util/fold-name.js";
import { whyRefusedUrl } from "../util/net/pinned-lookup.js";

/** The name and the URL of a configured server. */
export interface ServerAddress {
  readonly server: string;
  readonly url: string;
}

/**
 * Returns the argument `url` of a built-in tool. Throws POLICY_DENIED if agents may not connect to that URL.
 * `isConfirmed`: a user has confirmed this call, so that the host need not be configured.
 */
export function admit(args: JsonObject, agents: ToolFilesOptions["agents"], isConfirmed: boolean): URL {
  const url = urlIn(args, agents);
  if (isConfirmed || isConfiguredHost(url, agents)) return url;
  const host = hostOf(url);
  throw denied(`A user has to confirm each call to ${host}, which is not in toolFiles.agents.hosts.`, [
    { action: "run-command", command: discoverCommand(["--url", url.href]) },
    { action: "edit-config", key: "toolFiles.agents.hosts", change: "add", value: host },
  ]);
}

/** Whether the user has listed the host of the URL, so that agents may send requests to it without a question. */
export function isConfiguredHost(url: URL, { hosts }: ToolFilesOptions["agents"]): boolean {
  const host = foldName(hostOf(url));
  return hosts.some((pattern) => compileGlob(pattern).test(host));
}

const MAX_URL_LENGTH = 2_048;

/** Returns the argument `url`. Throws if it is no URL or if no confirmation could allow the connection. */
export function urlIn(args: JsonObject, agents: ToolFilesOptions["agents"]): URL {
  if (!agents.discover) {
    throw denied("The configuration does not allow agents to discover servers.", [
      { action: "run-command", command: "anygpt mcp discover" },
      { action: "edit-config", key: "toolFiles.agents.discover", value: "true" },
    ]);
  }
  assertNoCommand(args);
  const { url: text } = args;
  if (typeof text !== "string" || text.length > MAX_URL_LENGTH || !URL.canParse(text)) {
    throw new DiscoveryError("INVALID_REQUEST", 'The argument "url" is missing or is not a valid URL.', {
      hint: 'Pass a URL such as "https://mcp.example.com/mcp" in the argument "url".',
    });
  }
  const url = new URL(text);
  const why = url.protocol === "https:" ? whyRefusedUrl(url, false) : `${url.protocol}// is not https://`;
  if (why !== undefined) throw deniedToAgents(`Agents may not connect to this URL: ${why}.`, ["--url", text]);
  return url;
}

/**
 * Throws if the host of `url` is the host of configured servers and `allowed` is not one of them: agents must call the
 * tools of configured servers through the gateway, which applies the tool rules and the policy.
 */
export function assertNotConfigured(url: URL, addresses: readonly ServerAddress[], allowed?: string): void {
  const sameHost = addresses.filter((one) => URL.canParse(one.url) && hostOf(new URL(one.url)) === hostOf(url));
  const [found] = sameHost;
  if (found === undefined || sameHost.some(({ server }) => server === allowed)) return;
  throw denied(
    `${hostOf(url)} is the host of the configured server "${found.server}". Use that server's tools instead.`,
    [{ action: "list-tools", server: found.server }, { action: "execute" }],
  );
}

function assertNoCommand({ transport, command, args }: JsonObject): void {
  if (command === undefined && (transport === undefined || transport === "http" || transport === "sse")) return;
  const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === "string");
  throw deniedToAgents("Agents may not start commands.", ["--", ...(words.length === 0 ? ["COMMAND"] : words)]);
}

function deniedToAgents(message: string, words: readonly string[]): DiscoveryError {
  return denied(message, { action: "run-command", command: discoverCommand(words) });
}

/** Returns the `anygpt mcp discover` command that the user can run in a terminal. */
export function discoverCommand(words: readonly string[]): string {
  return commandLine(["anygpt", "mcp", "discover", ...words]);
}

/** The name of the host in lower case; it is ASCII, so that no other name looks like it. */
export function hostOf({ hostname }: URL): string {
  return hostname.toLowerCase().replace(/\.$/, "");
}

function denied(message: string, hint: Hint): DiscoveryError {
  return new DiscoveryError("POLICY_DENIED", message, { hint });
}
