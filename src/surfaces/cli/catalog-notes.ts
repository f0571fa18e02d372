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

/** One line for servers that are still starting, one for those that hang, and one for those that failed. */
export function catalogNotes({ pending, failed }: MissingServers): Line[] {
  const starting = pending.filter(({ isProgressing }) => isProgressing);
  const hanging = pending.filter((one) => !starting.includes(one)).map(({ name }) => name);
  const names = failed.map(({ definition }) => definition.name);
  const notes = [
    ...(starting.length === 0 ? [] : [`${describePending(starting)} Run the command again to include their tools.`]),
    ...(hanging.length === 0
      ? []
      : [`${count(hanging.length, "server")} did not answer: ${named(hanging)}. ${SEE_WHY}`]),
    ...(names.length === 0 ? [] : [`${count(names.length, "server")} failed: ${named(names)}. ${SEE_WHY}`]),
  ];
  return notes.map((note) => line(0, WARNING, ` ${note}`));
}

const SEE_WHY = "Run `anygpt mcp doctor` to see why.";

function named(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
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
