import type { Snapshot } from "../catalog/snapshot.js";
import type { Directory } from "../directory/directory.js";
import type { DirectoryEntry } from "../directory/entry.js";
import type { Suggestion } from "../directory/rank.js";

const MAX_SUGGESTIONS = 3;
const MAX_TOOLS = 3;

/**
 * Finds servers in the directory of public servers that certainly match the query and are not configured. Returns none
 * if the directory cannot be read.
 */
export async function suggestInstallable(
  query: string,
  { servers }: Snapshot,
  directory: Directory | undefined,
): Promise<readonly Suggestion[]> {
  try {
    const found = (await directory?.search(query, MAX_SUGGESTIONS)) ?? [];
    const words = [...servers.values()].flatMap(({ definition: { connection } }) => {
      if (connection.kind === "stdio") return [connection.command, ...connection.args];
      return connection.kind === "http" || connection.kind === "sse" ? [connection.url] : [];
    });
    return found.filter(({ entry, isSure }) => isSure && !isConfigured(entry, words));
  } catch {
    return [];
  }
}

function isConfigured({ package: source, remote }: DirectoryEntry, words: readonly string[]): boolean {
  return words.some(
    (word) =>
      word === remote?.url ||
      (source !== undefined && (word === source.identifier || word.startsWith(`${source.identifier}@`))),
  );
}

/**
 * Describes a suggested server in one line for an agent or a terminal. It names a command for the user, because the
 * gateway has no tool that installs servers.
 */
export function addServerNote({ entry, tools }: Suggestion): string {
  const named = tools.length > 0 ? ` (tools: ${tools.slice(0, MAX_TOOLS).join(", ")})` : "";
  return `A server that is not configured fits. The user can add it with: anygpt mcp add ${entry.name}${named}`;
}
