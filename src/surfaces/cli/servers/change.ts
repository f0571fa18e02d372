import {
  type ChangeReport,
  findForeign,
  removeServers,
  setServersEnabled,
} from "../../../operations/servers/change.js";
import { openServerDesk, type ServerDesk } from "../../../operations/servers/desk.js";
import type { NamedSection } from "../../../sources/rewrite/edit-config.js";
import { shortenHome } from "../../../util/home-path.js";
import { canInterrupt, isConfirmed } from "../../../terminal/questions.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { bold, GOOD, line } from "../../../terminal/lines.js";
import { engineOptions } from "../trust-files.js";
import { editLines } from "./lines.js";

export const removeCommand: Handler = async (input, context) => {
  const names = input.list("names");
  const desk = await deskFor(input, context);
  const foreign = findForeign(names, desk);
  const isOnlyForeign = foreign.length > 0 && foreign.length === names.length;
  if (isOnlyForeign && canInterrupt(context)) {
    const which = foreign.join(", ");
    const question = `${which} comes from an MCP client's file, which this command does not change. Disable it in your configuration instead?`;
    if (await isConfirmed(question, context)) {
      return show(await setServersEnabled(foreign, false, desk), "is disabled", desk, context);
    }
  }
  return await remove(names, "servers", desk, context);
};

export const removeAdapter: Handler = async (input, context) =>
  await remove([input.argument("name")], "adapters", await deskFor(input, context), context);

async function remove(
  names: readonly string[],
  section: NamedSection,
  desk: ServerDesk,
  context: Context,
): Promise<void> {
  const report = await removeServers(names, desk, section);
  const back = (report.gained ?? []).filter((name) => report.changed.includes(name));
  show(report, "was removed", desk, context);
  if (!context.isJson && back.length > 0) {
    const text = `${back.join(", ")} from an MCP client's file is used now. Disable it with \`anygpt mcp disable ${back.join(" ")}\`.`;
    context.note([line(2, text)]);
  }
}

export const enableServer: Handler = async (input, context) => await setEnabled(true, input, context);

export const disableServer: Handler = async (input, context) => await setEnabled(false, input, context);

async function setEnabled(isEnabled: boolean, input: Input, context: Context): Promise<void> {
  const desk = await deskFor(input, context);
  const report = await setServersEnabled(input.list("names"), isEnabled, desk);
  return show(report, isEnabled ? "is enabled" : "is disabled", desk, context);
}

async function deskFor(input: Input, context: Context): Promise<ServerDesk> {
  return await openServerDesk(engineOptions(context), { isProject: input.flag("project") });
}

function show(report: ChangeReport, done: string, { place, target }: ServerDesk, context: Context): void {
  const { file, notes } = target;
  const { changed, unchanged, isNew = false, lost = [] } = report;
  context.reply({ success: true, file, ...report }, () => [
    ...changed.map((name) => line(0, GOOD, " ", bold(name), ` ${done} in ${shortenHome(file, place.home)}.`)),
    ...unchanged.map((name) => line(0, bold(name), ` ${done} already.`)),
    ...(changed.length === 0 ? [] : notes.map((note) => line(2, note))),
    ...(changed.length === 0 ? [] : editLines({ file, isNew, lost }, place.home)),
  ]);
}
