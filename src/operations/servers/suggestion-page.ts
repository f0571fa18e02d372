import { toAddCommand } from "../../directory/add-command.js";
import { toDraftArguments } from "../../directory/draft-arguments.js";
import type { DirectoryEntry } from "../../directory/entry.js";
import type { Suggestion } from "../../directory/rank.js";

export function toSuggestionJson({ entry, tools, confidence }: Suggestion, isOnline: boolean) {
  const { name, title, description, package: source, remote, variables, homepage } = entry;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    matchingTools: tools,
    confidence: Math.round(confidence * 100) / 100,
    ...(source === undefined ? {} : { package: source }),
    ...(remote === undefined ? {} : { remote }),
    variables,
    ...(homepage === undefined ? {} : { homepage }),
    add: addCommandOf(entry, isOnline) ?? null,
  };
}

/**
 * The command that adds a server. It contains only the server's name, or instead the server's complete command or URL
 * if `add` does not find the name or if the user must fill in arguments.
 */
export function addCommandOf(entry: DirectoryEntry, isOnline: boolean): string | undefined {
  const isWhole = isOnline || toDraftArguments(entry).placeholders.length > 0;
  return isWhole ? toAddCommand(entry) : `anygpt mcp add ${entry.name}`;
}
