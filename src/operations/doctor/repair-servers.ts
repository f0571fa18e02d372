import type { DiscoveryEngine } from "../../engine.js";
import { DiscoveryError, toDiscoveryError } from "../../errors.js";
import type { Stages } from "../../gateway/stages.js";
import { interrupted } from "../../util/interrupted.js";
import { brokenNpxFolder, type CheckedServer, removeBrokenNpxFolder, type ServersCheck } from "./check-servers.js";

/** The broken folders of the npx cache, and the servers that failed because of each. */
export interface BrokenFolders {
  add(server: CheckedServer, error: DiscoveryError | undefined): void;
  isEmpty(): boolean;
  entries(): Iterable<[folder: string, servers: readonly string[]]>;
}

export function createBrokenFolders(): BrokenFolders {
  const folders = new Map<string, string[]>();
  return {
    add({ server }, error) {
      const folder = brokenNpxFolder(error);
      if (folder !== undefined) folders.set(folder, [...(folders.get(folder) ?? []), server]);
    },
    isEmpty: () => folders.size === 0,
    entries: () => folders.entries(),
  };
}

export interface RepairPorts {
  /** Whether a user can answer questions. */
  readonly isAttended: boolean;
  /** True to remove every broken folder without asking. */
  readonly isAgreed: boolean;
  readonly ask: (folder: string, servers: readonly string[]) => Promise<boolean>;
  readonly onRemoved: (folder: string) => void;
  readonly onFailed: (error: DiscoveryError) => void;
  /** Checks those servers again whose broken folder was removed. */
  readonly recheck: (servers: readonly string[]) => Promise<ServersCheck>;
}

/** Removes the broken npx folders that made servers fail, and checks those servers again. */
export async function repairServers(
  engine: DiscoveryEngine,
  report: ServersCheck,
  broken: BrokenFolders,
  { isAttended, isAgreed, ask, onRemoved, onFailed, recheck }: RepairPorts,
): Promise<ServersCheck> {
  if (broken.isEmpty()) return report;
  if (!isAgreed && !isAttended) throw cannotAsk();
  const repaired = new Set<string>();
  for (const [folder, servers] of broken.entries()) {
    if (!isAgreed && !(await ask(folder, servers))) continue;
    try {
      await removeBrokenNpxFolder(engine, folder);
      onRemoved(folder);
      for (const server of servers) repaired.add(server);
    } catch (error) {
      onFailed(toDiscoveryError(error));
    }
  }
  const again = await recheck([...repaired]);
  if (again.isInterrupted) throw interrupted();
  const newest = new Map(again.servers.map((one) => [one.server, one]));
  return { ...report, servers: report.servers.map((one) => newest.get(one.server) ?? one) };
}

function cannotAsk(): DiscoveryError {
  return new DiscoveryError(
    "INVALID_REQUEST",
    "Removing broken npx folders needs a confirmation, and there is no terminal to ask.",
    {
      hint: {
        action: "run-command",
        command: "anygpt mcp doctor --fix --yes",
        purpose: "remove them without a question",
      },
    },
  );
}

/** Whether the reason already quotes the relevant line of standard error, so that printing the rest adds nothing. */
export function quotesStderr({ server, reason = "" }: CheckedServer, { upstreams }: Stages): boolean {
  return upstreams.stderr(server).some((text) => text !== "" && reason.includes(text));
}
