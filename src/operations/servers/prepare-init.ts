import type { OpenOptions } from "../../gateway/engine-options.js";
import type { JsonObject } from "../../model/json.js";
import { CLIENT_IDS, type ClientId } from "../../sources/options.js";
import { invalidRequest } from "../../util/invalid-request.js";
import type { ImportPlan } from "../import/plan.js";
import { toImportPage } from "../import/report.js";
import { openServerDesk, type ServerDesk } from "./desk.js";
import { type ClientState, clientStates, planInit } from "./init.js";

/** A first configuration that has not been written yet. */
export interface PreparedInit {
  readonly desk: ServerDesk;
  /** The import plan for the case that the user connects every MCP client to the gateway. */
  readonly overview: ImportPlan;
  readonly clients: readonly ClientState[];
  readonly plan: (clients: readonly ClientId[]) => Promise<ImportPlan>;
}

export interface InitRequest {
  readonly isProject: boolean;
  /** The clients that the user named. */
  readonly named: readonly ClientId[];
}

export async function prepareInit(options: OpenOptions, { isProject, named }: InitRequest): Promise<PreparedInit> {
  if (isProject && named.length > 0) {
    throw invalidRequest("A client cannot be connected to a project configuration.", "Omit --project or --client.");
  }
  const desk = await openServerDesk(options, { isProject });
  const { home, cwd, env } = desk.place;
  const plan = (clients: readonly ClientId[]): Promise<ImportPlan> =>
    planInit(desk, { platform: process.platform, home, cwd, env }, clients);
  const canConnect = !isProject && desk.target.format !== "program";
  const overview = await plan(canConnect ? CLIENT_IDS : []);
  return { desk, overview, clients: clientStates(overview), plan };
}

export function toInitJson(plan: ImportPlan, clients: readonly ClientState[]): JsonObject {
  const { config, isNew, files, changes } = toImportPage(plan);
  return { config, isNew, written: true, files, clients, changes };
}
