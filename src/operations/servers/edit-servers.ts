import type { OpenOptions } from "../../gateway/engine-options.js";
import { type AddOptions, type AddRequest, carryOutAddition, planServers } from "./add.js";
import { type ChangeReport, removeServers, setServersEnabled } from "./change.js";
import { type DeskOptions, type EditReport, openServerDesk } from "./desk.js";

/** Adds servers to the configuration, all of them or none. `undoLast` reverts this. */
export async function addServer(
  servers: readonly AddRequest[],
  options: OpenOptions = {},
  { isProject = false, ...adding }: AddOptions & DeskOptions = {},
): Promise<EditReport> {
  const desk = await openServerDesk(options, { isProject });
  return await carryOutAddition(await planServers(servers, desk, adding), desk);
}

/** Removes servers from the configuration, all of them or none. `undoLast` reverts this. */
export async function removeServer(
  names: readonly string[],
  options: OpenOptions = {},
  where: DeskOptions = {},
): Promise<ChangeReport> {
  return await removeServers(names, await openServerDesk(options, where));
}

/** Enables or disables servers, including those from an MCP client's file. `undoLast` reverts this. */
export async function setServerEnabled(
  names: readonly string[],
  isEnabled: boolean,
  options: OpenOptions = {},
  where: DeskOptions = {},
): Promise<ChangeReport> {
  return await setServersEnabled(names, isEnabled, await openServerDesk(options, where));
}
