import type { Stages } from "../../compose.js";
import { DiscoveryError, toDiscoveryError } from "../../errors.js";
import { repairNpxCache } from "../../operations/repair-npx-cache.js";
import { installsFolder } from "../../place.js";
import { ask, isAttended } from "./ask.js";
import { type AskedServer, askServers } from "./ask-servers.js";
import type { Context } from "./context.js";
import { failureLines } from "./failure.js";
import { line } from "./lines.js";

/** Removes the broken npx folders that made servers fail, after a question for each, and asks those servers again. Gives their answers. */
export async function fixServers(
  asked: readonly AskedServer[],
  stages: Stages,
  context: Context,
  isAgreed: boolean,
): Promise<readonly AskedServer[]> {
  const broken = brokenFolders(asked);
  if (broken.size === 0) return [];
  if (!isAgreed && !isAttended(context)) throw cannotAsk();
  const repaired = new Set<string>();
  for (const [folder, servers] of broken) {
    const question = `Remove the broken npx folder ${folder} (${servers.join(", ")})? npx installs the package again.`;
    if (!isAgreed && (await ask(question, context)) !== "yes") continue;
    try {
      await repairNpxCache(folder, installsFolder(stages.place.stateFolder));
      context.note([line(0, `Removed ${folder}.`)]);
      for (const server of servers) repaired.add(server);
    } catch (error) {
      context.note(failureLines(toDiscoveryError(error)));
    }
  }
  // A server that has failed is left alone for a while, unless its connection is a new one.
  await Promise.all([...repaired].map((server) => stages.upstreams.drop(server)));
  return await askServers([...repaired], stages, context);
}

function brokenFolders(asked: readonly AskedServer[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { name, failure } of asked) {
    const folder = failure?.facts["brokenNpxFolder"];
    if (typeof folder === "string") found.set(folder, [...(found.get(folder) ?? []), name]);
  }
  return found;
}

function cannotAsk(): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", "There is no terminal to ask whether to remove broken npx folders.", {
    hint: "Add --yes to remove them without a question: anygpt mcp doctor --fix --yes.",
  });
}
