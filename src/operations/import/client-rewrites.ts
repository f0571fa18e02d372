import { CLIENT_IDS, type ClientId } from "../../sources/options.js";
import type { PreviewedFile } from "../../sources/preview.js";
import { rewriteClientFile, type Rewritten } from "../../sources/rewrite/rewrite.js";
import { gatewayProgram, type GatewayStart, ONE_FOR_ALL_FILES } from "../../sources/rewrite/slots.js";
import type { System } from "../../sources/system.js";
import { describeHere } from "./describe-here.js";
import type { ImportOutcome, FoundClientServers } from "./found.js";
import type { EditTarget } from "../files/target.js";
import type { Write } from "../files/write.js";

/** The planned or finished change of one MCP client's file. */
export interface RewrittenClient {
  readonly client: ClientId;
  /** The path of the client's file. Null if the client has no file on this machine. */
  readonly file: string | null;
  readonly status: "rewritten" | "unchanged" | "refused";
  readonly reason?: string;
  /** Servers that are removed from the file because the configuration has them. */
  readonly removed: readonly string[];
  /** Servers that remain in the file because the gateway does not offer them. */
  readonly kept: readonly string[];
  /** Why a server remains in the file although the configuration has it or could have it. */
  readonly reasons: readonly { readonly server: string; readonly reason: string }[];
}

export interface ClientRewrite extends RewrittenClient {
  readonly write?: Write;
}

export interface RewriteOptions {
  readonly clients: readonly ClientId[];
  readonly system: System;
  readonly target: EditTarget;
  readonly start: GatewayStart;
}

type ReadFile = PreviewedFile & { readonly content: { readonly kind: "read" } };

export async function planRewrites(found: FoundClientServers, options: RewriteOptions): Promise<ClientRewrite[]> {
  const planned = await Promise.all(options.clients.map((client) => planClient(client, found, options)));
  const isAll = options.clients.length === CLIENT_IDS.length;
  return planned.flat().filter(({ file }) => file !== null || !isAll);
}

async function planClient(
  client: ClientId,
  found: FoundClientServers,
  options: RewriteOptions,
): Promise<ClientRewrite[]> {
  const all = found.files.filter(({ location }) => location.client === client);
  const files = all.filter(
    (file): file is ReadFile => file.location.scope !== "project" && file.content.kind === "read",
  );
  const broken = all.filter(({ content }) => content.kind === "broken").map(brokenFile);
  const projects = all.filter(({ location, content }) => location.scope === "project" && content.kind === "read");
  const untouched = projects.map((file) =>
    unchangedFile(file, "it belongs to the project, and other users may need it", []),
  );
  if (files.length === 0) {
    const nothing = {
      client,
      status: "unchanged",
      reason: "it has no file on this machine",
      removed: [],
      kept: [],
      reasons: [],
    } as const;
    return [...broken, ...untouched, ...(broken.length > 0 ? [] : [{ ...nothing, file: null }])];
  }
  const rewrites: ClientRewrite[] = [];
  let hasGateway = files.some(isRegisteredIn);
  const moving = files.filter((file) => removable(file, found).length > 0);
  // If the client has no servers, the gateway is added to the first of its files that supports servers.
  const chosen = moving.length > 0 || hasGateway ? moving : files.filter(canContainServers).slice(0, 1);
  for (const file of files) {
    if (!chosen.includes(file)) {
      rewrites.push(await planCompletion(file, found, options));
      continue;
    }
    const isThere = ONE_FOR_ALL_FILES.has(client) ? hasGateway : isRegisteredIn(file);
    rewrites.push(await planFile(file, found, { ...options, addsGateway: !isThere }));
    hasGateway = true;
  }
  return [...rewrites, ...broken, ...untouched];
}

/** Plans a file from which no server moves: only an existing entry of the gateway may get the keys that it lacks. */
async function planCompletion(
  file: ReadFile,
  found: FoundClientServers,
  options: RewriteOptions,
): Promise<ClientRewrite> {
  const reasons = reasonsIn(file, found);
  if (!isRegisteredIn(file)) return unchangedFile(file, "it contains no server to move", reasons);
  const plan = await planFile(file, found, { ...options, addsGateway: false });
  if (plan.status === "rewritten") return plan;
  return unchangedFile(file, "it already contains the gateway and no server to move", reasons);
}

async function planFile(
  file: ReadFile,
  found: FoundClientServers,
  { system, target, start, addsGateway }: RewriteOptions & { readonly addsGateway: boolean },
): Promise<ClientRewrite> {
  const { client, path } = file.location;
  const { bytes } = file.content.file;
  const removed = removable(file, found);
  const gateway = gatewayProgram(system, target.isDefaultFile ? undefined : target.file, start);
  const result = await rewriteClientFile({
    client,
    path,
    bytes,
    remove: new Set(removed.map(({ origin }) => origin.path)),
    ...(addsGateway ? { gateway } : {}),
    registered: new Set(registeredIn(file).map(({ origin }) => origin.path)),
    loadsTools: target.config?.mode !== "full",
    system,
  });
  const kept = file.content.servers.filter((server) => !removed.includes(server) && !server.isGateway);
  const common = {
    client,
    file: path,
    kept: kept.map(({ definition }) => definition.name),
    removed: removed.map(({ definition }) => definition.name),
    reasons: reasonsIn(file, found),
  };
  if (result.kind === "refused") return { ...common, status: "refused", reason: result.reason, removed: [] };
  if (result.kind === "unsuited") {
    const reason = "the gateway cannot be registered in it";
    return { ...common, status: "unchanged", reason, removed: [], kept: [...common.removed, ...common.kept] };
  }
  if (result.kind === "unchanged") return { ...common, status: "unchanged", removed: [] };
  const gateways = new Set(file.content.servers.filter(({ isGateway }) => isGateway).map((one) => one.definition.name));
  // Invalid entries were not read, so they also remain in the file.
  const staying = { ...common, kept: result.kept.filter((name) => !gateways.has(name)) };
  return {
    ...staying,
    status: "rewritten",
    write: {
      role: "client",
      client,
      path,
      before: bytes,
      after: result.bytes,
      sections: result.sections,
      what: describe(staying, result),
    },
  };
}

function describe(
  { removed, kept }: Pick<ClientRewrite, "removed" | "kept">,
  { gateway, completed }: Rewritten & { readonly kind: "rewritten" },
): string {
  const goes = removed.length === 0 ? [] : [`loses ${removed.join(", ")}`];
  const comes = gateway === undefined ? [] : [`gets ${gateway}`];
  const changes = completed.map(({ name, keys }) => `adds ${keys.join(", ")} to ${name}`);
  const stays = kept.length === 0 ? [] : [`keeps ${kept.join(", ")}`];
  return [...goes, ...comes, ...changes, ...stays].join("; ");
}

const IN_OUR_CONFIGURATION: ReadonlySet<ImportOutcome["kind"]> = new Set(["taken", "renamed", "duplicate", "known"]);

function removable({ content }: ReadFile, found: FoundClientServers) {
  const gone = found.servers.filter(
    ({ outcome, stays }) => IN_OUR_CONFIGURATION.has(outcome.kind) && stays === undefined,
  );
  const servers = new Set(gone.map(({ server }) => server));
  return content.servers.filter((server) => servers.has(server));
}

function reasonsIn({ content }: ReadFile, found: FoundClientServers): ClientRewrite["reasons"] {
  return found.servers.flatMap(({ server, stays }) =>
    stays === undefined || !content.servers.includes(server) ? [] : [{ server: server.definition.name, reason: stays }],
  );
}

function isRegisteredIn(file: ReadFile): boolean {
  return registeredIn(file).length > 0;
}

/** The entries of the file that start this gateway. */
function registeredIn({ content }: ReadFile) {
  return content.servers.filter(({ isGateway, disabled }) => isGateway && disabled === undefined);
}

/** Whether a client's file can contain servers. VS Code moves servers from its settings to its own MCP file. */
function canContainServers({ location: { client, path } }: ReadFile): boolean {
  return client !== "vscode" || !path.endsWith("settings.json");
}

function unchangedFile(
  { location: { client, path }, content }: PreviewedFile,
  reason: string,
  reasons: ClientRewrite["reasons"],
): ClientRewrite {
  const servers = content.kind === "read" ? content.servers.filter(({ isGateway }) => !isGateway) : [];
  const kept = servers.map(({ definition }) => definition.name);
  return { client, file: path, status: "unchanged", reason, removed: [], kept, reasons };
}

function brokenFile({ location: { client, path }, content }: PreviewedFile): ClientRewrite {
  const reason = content.kind === "broken" ? content.problems.map(describeHere).join("; ") : "could not be read";
  return { client, file: path, status: "refused", reason, removed: [], kept: [], reasons: [] };
}
