import { ERRORS } from "../../../errors.js";
import type { ImportPlan } from "../../../operations/import/plan.js";
import type { ServerDesk } from "../../../operations/servers/desk.js";
import { carryOutInit, type ClientState } from "../../../operations/servers/init.js";
import { type PreparedInit, prepareInit, toInitJson } from "../../../operations/servers/prepare-init.js";
import { CLIENTS } from "../../../sources/clients/table.js";
import type { ClientId } from "../../../sources/options.js";
import { shortenHome } from "../../../util/home-path.js";
import { canInterrupt, isConfirmed } from "../../../terminal/questions.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { toClients } from "../../../operations/import/named-clients.js";
import { toImportPage } from "../../../operations/import/report.js";
import { changeLines, foundLines } from "../import/import-lines.js";
import { BLANK, blocks, bold, count, dim, GOOD, line, type Line, WARNING } from "../../../terminal/lines.js";
import { engineOptions } from "../trust-files.js";
import { lostLines, UNDO } from "./lines.js";

export const init: Handler = async (input, context) => {
  const named = toClients(input.list("client"));
  const prepared = await prepareInit(engineOptions(context), { isProject: input.flag("project"), named });
  const { desk, overview, clients } = prepared;
  if (!context.isJson) context.show(overviewLines(overview, clients, desk));
  const chosen = await choose({ ...prepared, named, input, context });
  const plan = await prepared.plan(chosen ?? named);
  return await finish(plan, chosen !== undefined, { ...prepared, named, input, context });
};

function overviewLines(plan: ImportPlan, clients: readonly ClientState[], { target, place }: ServerDesk): Line[] {
  const file = shortenHome(target.file, place.home);
  const own = (target.config?.servers.length ?? 0) + (target.config?.adapters.length ?? 0);
  const configuration =
    target.bytes === undefined
      ? line(0, bold("Configuration"), `: none yet. It would be written to ${file}.`)
      : line(0, bold("Configuration"), `: ${file} (${count(own, "server")}).`);
  return blocks([
    foundLines(toImportPage(plan), place.home),
    clients.map(({ client, state }) =>
      line(0, state === "connected" ? GOOD : dim("-"), " ", bold(CLIENTS[client].title), ` is ${state}.`),
    ),
    [configuration, ...target.notes.map((note) => line(2, note))],
    [],
  ]);
}

interface Init extends PreparedInit {
  readonly named: readonly ClientId[];
  readonly input: Input;
  readonly context: Context;
}

/** The clients to connect; undefined if nothing may be written. */
async function choose({ clients, input, named, desk, context }: Init): Promise<readonly ClientId[] | undefined> {
  if (input.flag("yes")) return named;
  if (!canInterrupt(context)) return undefined;
  const { target, place } = desk;
  const isNew = target.bytes === undefined;
  const file = shortenHome(target.file, place.home);
  context.note([""]);
  const writes = `Write ${file} with comments and \`sources: all\` (use the servers of all MCP clients)?`;
  if (isNew && !(await isConfirmed(writes, context))) return undefined;
  const chosen: ClientId[] = [];
  for (const { client, changes } of clients) {
    if (changes.length === 0 || (named.length > 0 && !named.includes(client))) continue;
    const does = changes.map((one) => `${shortenHome(one.file, place.home)} ${one.what}`).join("; ");
    const question = `Connect ${CLIENTS[client].title}? Its servers move into your configuration: ${does}.`;
    if (await isConfirmed(question, context)) chosen.push(client);
  }
  return isNew || chosen.length > 0 ? chosen : undefined;
}

async function finish(plan: ImportPlan, isAgreed: boolean, { clients, desk, context }: Init): Promise<number> {
  if (!isAgreed || plan.writes.length === 0) {
    const data = { success: true, ...toInitJson(plan, clients), written: false };
    context.reply(data, () => [BLANK, ...nothingLines(plan, isAgreed, context)]);
    return 0;
  }
  const { written, lost } = await carryOutInit(plan, desk);
  const isFailed = written.some(({ failure }) => failure !== undefined);
  const page = toImportPage(plan, written);
  const data = { success: !isFailed, ...toInitJson(plan, clients), changes: page.changes, lost };
  context.reply(data, () => [BLANK, ...changeLines(page, desk.place.home), ...afterLines(plan, lost)]);
  return isFailed ? ERRORS.CONFIGURATION_ERROR.exit : 0;
}

function nothingLines({ writes, target }: ImportPlan, isAgreed: boolean, context: Context): Line[] {
  if (isAgreed && writes.length === 0) return ["There is nothing to write."];
  if (canInterrupt(context)) return ["Nothing was written."];
  const first = target.bytes === undefined ? " Add --yes to write the configuration." : "";
  return [`Nothing was written.${first} Add --yes --client NAME to connect a client.`];
}

function afterLines({ copiedSecrets, rewrites, notes }: ImportPlan, lost: readonly string[]): Line[] {
  const secrets = [...new Set(copiedSecrets.map(({ server, where }) => `${server} ${where}`))];
  const isConnecting = rewrites.some(({ status }) => status === "rewritten");
  return [
    ...lostLines(lost),
    ...(secrets.length === 0
      ? []
      : [line(2, WARNING, ` Secrets moved into the configuration, which only you can read: ${secrets.join(", ")}`)]),
    ...notes.map((note) => line(2, WARNING, ` ${note}`)),
    UNDO,
    "",
    ...(isConnecting ? ["Restart the connected clients, so that they use the gateway."] : []),
    "Next: `anygpt mcp add` adds a server, `anygpt mcp list` shows all servers and their state.",
  ];
}
