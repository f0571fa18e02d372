import type { CatalogServer } from "../../catalog/snapshot.js";
import { describePending, type PendingServer } from "../../catalog/starts.js";
import type { JsonObject } from "../../model/json.js";
import { reasonOf } from "./failure.js";
import { count, line, type Line, WARNING } from "./lines.js";

/** Servers whose tools an answer is without. */
export interface MissingServers {
  readonly pending: readonly PendingServer[];
  readonly failed: readonly CatalogServer[];
}

const MOST_NAMED = 10;

/** One line for servers that have not answered yet, and one for those that failed. */
export function catalogNotes({ pending, failed }: MissingServers): Line[] {
  const again = "Their tools are missing here: run the command again in a while.";
  return [
    ...(pending.length === 0 ? [] : [line(0, WARNING, ` ${describePending(pending)} ${again}`)]),
    ...(failed.length === 0 ? [] : [line(0, WARNING, ` ${describeFailed(failed)}`)]),
  ];
}

/** `2 servers failed: a, b. Run `anygpt mcp doctor` to see why.` */
function describeFailed(failed: readonly CatalogServer[]): string {
  const names = failed.slice(0, MOST_NAMED).map(({ definition }) => definition.name);
  const more = failed.length - names.length;
  const named = `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return `${count(failed.length, "server")} failed: ${named}. Run \`anygpt mcp doctor\` to see why.`;
}

/** The same for programs. */
export function missingData({ pending, failed }: MissingServers): JsonObject {
  return {
    ...(pending.length > 0 ? { pending: pending.map(({ name }) => name) } : {}),
    ...(failed.length > 0 ? { failed: failed.flatMap(toFailed) } : {}),
  };
}

function toFailed({ definition, failure, retry }: CatalogServer): JsonObject[] {
  if (failure === undefined) return [];
  const times =
    retry === undefined ? {} : { failures: retry.count, failed_at: toTime(retry.failedAt), retry_at: toTime(retry.at) };
  return [{ server: definition.name, reason: reasonOf(failure), ...times }];
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
