// Requests the tool list of the server at a URL and plans the tool files for its tools. Writes nothing.
import { DiscoveryError } from "../errors.js";
import type { JsonObject } from "../model/json.js";
import type { ServerListing } from "../model/server.js";
import type { FileConnection } from "../toolfiles/format/tool-file.js";
import { commandLine } from "../util/command-line.js";
import { shortenHome } from "../util/home-path.js";
import { canonicalJson } from "../util/json/canonical.js";
import { sha256 } from "../util/sha256.js";
import { type DiscoveryRequest, planDiscovery } from "../discover/discover.js";
import { explainFailure } from "../discover/explain-failure.js";
import type { FilePlan } from "../discover/plan-files.js";
import { type DiscoveryTarget, toTarget } from "../discover/target.js";
import { type BuiltInContext, textIn, toForeignConnection, withUpstreams } from "./context.js";
import { discoverCommand } from "./admission.js";

export interface Survey {
  readonly request: DiscoveryRequest;
  readonly listing: ServerListing;
  readonly plans: readonly FilePlan[];
  /**
   * The arguments for the tool mcp_write_tools. The user must confirm that call. Undefined if there is nothing to
   * write.
   */
  readonly writing?: WriteArguments;
}

/**
 * The arguments of the tool mcp_write_tools. The user sees them before the call, and the written files must match them.
 */
export interface WriteArguments extends JsonObject {
  readonly url: string;
  readonly name: string;
  readonly folder: string;
  readonly files: readonly string[];
  readonly digest: string;
}

export async function survey(
  url: URL,
  args: JsonObject,
  { context, headers }: { readonly context: BuiltInContext; readonly headers: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<Survey> {
  const { folder } = context;
  if (folder === undefined) {
    throw new DiscoveryError("POLICY_DENIED", "Tool files are disabled in the configuration.", {
      hint: { action: "edit-config", key: "toolFiles.enabled", value: "true" },
    });
  }
  const [authHeader, authEnv] = [textIn(args, "auth_header"), textIn(args, "auth_env_var")];
  const target = toTarget({ address: { kind: "url", url: url.href }, name: textIn(args, "name"), authHeader, authEnv });
  const foreign = toForeignConnection(url, headers);
  const listing = await withUpstreams(context, async (upstreams) => {
    try {
      return await upstreams.list({ name: url.host, connection: () => foreign }, signal);
    } catch (error) {
      throw toAgentError(explainFailure(error, target, []), { target, url });
    }
  });
  const request = { target, folder, options: {} };
  const plans = await planDiscovery(request, listing, context);
  const auth = { ...(authHeader && { auth_header: authHeader }), ...(authEnv && { auth_env_var: authEnv }) };
  const writing = toWriteArguments(request, plans, { auth, home: context.home });
  return { request, listing, plans, ...(writing === undefined ? {} : { writing }) };
}

/**
 * Replaces the error of a server that requires a credential: the user must run the discovery in a terminal, because the
 * gateway never sends the user's credentials for an agent.
 */
function toAgentError(error: unknown, { target, url }: { target: DiscoveryTarget; url: URL }): unknown {
  if (!(error instanceof DiscoveryError) || error.code !== "UPSTREAM_UNAUTHORIZED") return error;
  const [need] = target.needs;
  const auth = need?.header === undefined ? [] : ["--auth-header", need.header, "--auth-env", need.name];
  const command = discoverCommand(["--url", url.href, "--name", target.name, ...auth]);
  return new DiscoveryError(error.code, error.message, {
    hint: [
      "The server requires a credential, and the gateway never sends the user's credentials for an agent.",
      { action: "run-command", command, purpose: "see which variable to set" },
    ],
    facts: error.facts,
    server: target.name,
    cause: error,
  });
}

function toWriteArguments(
  { target, folder }: DiscoveryRequest,
  plans: readonly FilePlan[],
  { auth, home }: { readonly auth: JsonObject; readonly home: string },
): WriteArguments | undefined {
  const files = plans.flatMap(({ write }) => write ?? []);
  const [first] = files;
  if (first === undefined || first.connection.kind === "stdio") return undefined;
  const { url } = first.connection;
  const replaces = plans.flatMap(({ write, existing }) => {
    const before = write === undefined ? undefined : existing?.file;
    if (before === undefined) return [];
    return [{ file: `${before.toolId}.yaml`, version: before.version, address: addressOf(before.connection) }];
  });
  const sends = [...new Set(files.flatMap(({ needs }) => needs.map((need) => `${need.name} in ${need.header}`)))];
  const contents = files.map(({ toolId, version, definitionHash, connection, needs }) => {
    return { toolId, version, definitionHash, connection, needs };
  });
  return {
    url,
    name: target.name,
    ...auth,
    folder: shortenHome(folder, home),
    files: files.map(({ toolId }) => `${toolId}.yaml`),
    ...(replaces.length === 0 ? {} : { replaces }),
    ...(sends.length === 0 ? {} : { sends: `${sends.join(" and ")} to ${new URL(url).origin} with every call` }),
    digest: sha256(canonicalJson(contents)).slice(0, 32),
  };
}

/** Returns the URL or the command in the connection of an existing tool file. */
function addressOf(connection: FileConnection): string {
  return connection.kind === "stdio" ? commandLine([connection.command, ...connection.args]) : connection.url;
}
