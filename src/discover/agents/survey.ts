// An address comes in that an agent may ask; what is there goes out, and what files of it would be written. Writes nothing.
import { DiscoveryError } from "../../errors.js";
import type { JsonObject } from "../../model/json.js";
import type { ServerListing } from "../../model/server.js";
import type { FileConnection } from "../../toolfiles/format/tool-file.js";
import { commandLine } from "../../util/command-line.js";
import { shortenHome } from "../../util/home-path.js";
import { canonicalJson } from "../../util/json/canonical.js";
import { sha256 } from "../../util/sha256.js";
import { type DiscoveryWish, planDiscovery } from "../discover.js";
import { explainFailure } from "../explain-failure.js";
import type { FilePlan } from "../plan-files.js";
import { type DiscoveryTarget, toTarget } from "../target.js";
import { type AgentDesk, textIn, toForeign, withUpstreams } from "./desk.js";
import { discoverCommand } from "./gate.js";

export interface Survey {
  readonly wish: DiscoveryWish;
  readonly listing: ServerListing;
  readonly plans: readonly FilePlan[];
  /** What a person is asked about before anything is written; undefined where nothing would be. */
  readonly writing?: WriteArguments;
}

/** What a person sees of a writing, and what it is held to. */
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
  { desk, headers }: { readonly desk: AgentDesk; readonly headers: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<Survey> {
  const { folder } = desk;
  if (folder === undefined) {
    throw new DiscoveryError("POLICY_DENIED", "Tool files are switched off here.", {
      hint: "Ask your person to set toolFiles.enabled.",
    });
  }
  const [authHeader, authEnv] = [textIn(args, "auth_header"), textIn(args, "auth_env_var")];
  const target = toTarget({ address: { kind: "url", url: url.href }, name: textIn(args, "name"), authHeader, authEnv });
  const foreign = toForeign(url, headers);
  const listing = await withUpstreams(desk, async (upstreams) => {
    try {
      return await upstreams.list({ name: url.host, connection: () => foreign }, signal);
    } catch (error) {
      throw toAgents(explainFailure(error, target, []), { target, url });
    }
  });
  const wish = { target, folder, options: {} };
  const plans = await planDiscovery(wish, listing, desk);
  const auth = { ...(authHeader && { auth_header: authHeader }), ...(authEnv && { auth_env_var: authEnv }) };
  const writing = toWriting(wish, plans, { auth, home: desk.home });
  return { wish, listing, plans, ...(writing === undefined ? {} : { writing }) };
}

/** Where a credential is wanted, an agent can do nothing: people's are not sent for agents. */
function toAgents(error: unknown, { target, url }: { target: DiscoveryTarget; url: URL }): unknown {
  if (!(error instanceof DiscoveryError) || error.code !== "UPSTREAM_UNAUTHORIZED") return error;
  const [need] = target.needs;
  const auth = need?.header === undefined ? [] : ["--auth-header", need.header, "--auth-env", need.name];
  const command = discoverCommand(["--url", url.href, "--name", target.name, ...auth]);
  return new DiscoveryError(error.code, error.message, {
    hint: `It wants a credential, and none of your person's is sent for you. Ask them to run \`${command}\`, which says what to set.`,
    facts: error.facts,
    server: target.name,
    cause: error,
  });
}

function toWriting(
  { target, folder }: DiscoveryWish,
  plans: readonly FilePlan[],
  { auth, home }: { readonly auth: JsonObject; readonly home: string },
): WriteArguments | undefined {
  const files = plans.flatMap(({ write }) => write ?? []);
  const [first] = files;
  if (first === undefined || first.connection.kind === "stdio") return undefined;
  const { url } = first.connection;
  const replaces = plans.flatMap(({ write, standing }) => {
    const before = write === undefined ? undefined : standing?.file;
    if (before === undefined) return [];
    return [{ file: `${before.toolId}.yaml`, version: before.version, address: placeOf(before.connection) }];
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

/** Where a person has had their data sent so far, or what they have had started. */
function placeOf(connection: FileConnection): string {
  return connection.kind === "stdio" ? commandLine([connection.command, ...connection.args]) : connection.url;
}
