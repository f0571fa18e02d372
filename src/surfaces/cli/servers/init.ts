import { DiscoveryError, ERRORS } from "../../../errors.js";
import type { Plan } from "../../../operations/import/plan.js";
import { openServerDesk, type ServerDesk } from "../../../operations/servers/desk.js";
import { carryOutInit, planInit } from "../../../operations/servers/init.js";
import { CLIENTS } from "../../../sources/clients/table.js";
import { CLIENT_IDS, type ClientId } from "../../../sources/options.js";
import { shortenHome } from "../../../util/home-path.js";
import { ask, canInterrupt } from "../ask.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { clientsOf } from "../import/clients.js";
import { toImportPage } from "../import/page.js";
import { changeLines, foundLines } from "../import/page-lines.js";
import { blocks, bold, count, dim, GOOD, line, type Line, WARNING } from "../lines.js";
import { optionsOf } from "../trust-files.js";

export const init: Handler = async (input, context) => {
  const isProject = input.flag("project");
  const named = clientsOf(input);
  if (isProject && named.length > 0) throw notForProject();
  const desk = await openServerDesk(optionsOf(context), { isProject });
  const { home, cwd } = desk.place;
  const system = { platform: process.platform, home, cwd, env: context.io.env };
  const isProgram = desk.target.format === "program";
  const overview = await planInit(desk, system, isProject || isProgram ? [] : CLIENT_IDS);
  const clients = statesOf(overview);
  if (!context.isJson) context.show(overviewLines(overview, clients, desk));
  const chosen = await choose(clients, { input, named, desk, context });
  const plan = await planInit(desk, system, chosen ?? named);
  return await finish(plan, { isAgreed: chosen !== undefined, clients, desk, context });
};

function notForProject(): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", "A client cannot be connected to the configuration of one project.", {
    hint: "Leave --project or --client out.",
  });
}

interface ClientState {
  readonly client: ClientId;
  readonly state: "connected" | "not connected";
  /** What connecting it would do to its files; empty where nothing can be done. */
  readonly changes: readonly { readonly file: string; readonly what: string }[];
}

/** The clients that have a file of the user's own on this machine. */
function statesOf({ found, rewrites }: Plan): ClientState[] {
  return CLIENT_IDS.flatMap((client): ClientState[] => {
    const files = found.files.filter(({ place }) => place.client === client && place.scope !== "project");
    if (files.length === 0) return [];
    const servers = files.flatMap(({ content }) => (content.kind === "read" ? content.servers : []));
    const isConnected = servers.some(({ isGateway, disabled }) => isGateway && disabled === undefined);
    const writes = rewrites.filter((one) => one.client === client).flatMap(({ write }) => write ?? []);
    const changes = isConnected ? [] : writes.map(({ path, what }) => ({ file: path, what }));
    return [{ client, state: isConnected ? "connected" : "not connected", changes }];
  });
}

function overviewLines(plan: Plan, clients: readonly ClientState[], { target, place }: ServerDesk): Line[] {
  const file = shortenHome(target.file, place.home);
  const own = (target.config?.servers.length ?? 0) + (target.config?.adapters.length ?? 0);
  const configuration =
    target.bytes === undefined
      ? line(0, bold("Configuration"), `: none yet. ${file} would be it.`)
      : line(0, bold("Configuration"), `: ${file}, with ${count(own, "server")} of its own.`);
  return blocks([
    foundLines(toImportPage(plan), place.home),
    clients.map(({ client, state }) =>
      line(0, state === "connected" ? GOOD : dim("-"), " ", bold(CLIENTS[client].title), ` is ${state}.`),
    ),
    [configuration, ...target.notes.map((note) => line(2, note))],
    [],
  ]);
}

interface Choice {
  readonly input: Input;
  readonly named: readonly ClientId[];
  readonly desk: ServerDesk;
  readonly context: Context;
}

/** The clients to connect; undefined where nothing is to be written. */
async function choose(
  clients: readonly ClientState[],
  { input, named, desk, context }: Choice,
): Promise<readonly ClientId[] | undefined> {
  if (input.flag("yes")) return named;
  if (!canInterrupt(context)) return undefined;
  const { target, place } = desk;
  const isNew = target.bytes === undefined;
  const file = shortenHome(target.file, place.home);
  context.note([line(0, "")]);
  if (isNew && (await ask(`Write ${file}, with comments and \`sources: all\`?`, context)) !== "yes") return undefined;
  const chosen: ClientId[] = [];
  for (const { client, changes } of clients) {
    if (changes.length === 0 || (named.length > 0 && !named.includes(client))) continue;
    const does = changes.map((one) => `${shortenHome(one.file, place.home)} ${one.what}`).join("; ");
    const question = `Connect ${CLIENTS[client].title}? Its servers move into your configuration: ${does}.`;
    if ((await ask(question, context)) === "yes") chosen.push(client);
  }
  return isNew || chosen.length > 0 ? chosen : undefined;
}

interface End {
  readonly isAgreed: boolean;
  readonly clients: readonly ClientState[];
  readonly desk: ServerDesk;
  readonly context: Context;
}

async function finish(plan: Plan, { isAgreed, clients, desk, context }: End): Promise<number> {
  const { home } = desk.place;
  if (!isAgreed || plan.writes.length === 0) {
    if (context.isJson) context.json({ success: true, ...pageOf(plan, clients), written: false });
    else context.show([line(0, ""), ...nothingLines(plan, isAgreed, context)]);
    return 0;
  }
  const { written, lost } = await carryOutInit(plan, desk);
  const isFailed = written.some(({ failure }) => failure !== undefined);
  const page = toImportPage(plan, written);
  if (context.isJson) context.json({ success: !isFailed, ...pageOf(plan, clients), changes: page.changes, lost });
  else context.show([line(0, ""), ...changeLines(page, home), ...afterLines(plan, lost)]);
  return isFailed ? ERRORS.CONFIGURATION_ERROR.exit : 0;
}

function pageOf(plan: Plan, clients: readonly ClientState[]) {
  const { config, isNew, files, changes } = toImportPage(plan);
  return { config, isNew, written: true, files, clients, changes };
}

function nothingLines({ writes, target }: Plan, isAgreed: boolean, context: Context): Line[] {
  if (isAgreed && writes.length === 0) return [line(0, "There is nothing to write.")];
  if (canInterrupt(context)) return [line(0, "Nothing was written.")];
  const first = target.bytes === undefined ? " Add --yes to write the configuration." : "";
  return [line(0, `Nothing was written.${first} Add --yes --client NAME to connect a client.`)];
}

function afterLines({ copiedSecrets, rewrites }: Plan, lost: readonly string[]): Line[] {
  const secrets = [...new Set(copiedSecrets.map(({ server, where }) => `${server} ${where}`))];
  const isConnecting = rewrites.some(({ status }) => status === "rewritten");
  return [
    ...(lost.length === 0
      ? []
      : [line(2, WARNING, ` ${count(lost.length, "server")} not available here any more: ${lost.join(", ")}`)]),
    ...(secrets.length === 0
      ? []
      : [line(2, WARNING, ` Secrets moved into the configuration, which only you can read: ${secrets.join(", ")}`)]),
    line(2, dim("`anygpt mcp undo` takes it back.")),
    line(0, ""),
    ...(isConnecting ? [line(0, "Restart the clients that were connected. They use the gateway from then on.")] : []),
    line(0, "Next: `anygpt mcp list` connects to the servers, `anygpt mcp add` adds more."),
  ];
}
