import { toDraftArguments } from "../../../directory/draft-arguments.js";
import type { DirectoryInput } from "../../../directory/entry.js";
import type { Suggestion } from "../../../directory/rank.js";
import { findServers, registryAddress } from "../../../operations/servers/find-servers.js";
import { addCommandOf, toSuggestionJson } from "../../../operations/servers/suggestion-page.js";
import type { Handler } from "../command.js";
import { blocks, bold, count, dim, line, type Line } from "../../../terminal/lines.js";

const NO_MATCH = 2;

export const find: Handler = async (input, context) => {
  const query = input.argument("query").trim();
  const isOnline = input.flag("online");
  const { env, signal } = context.io;
  const work = findServers(query, { limit: input.number("limit"), online: isOnline, env, warn: context.warn, signal });
  const text = isOnline ? `Searching ${registryAddress(env)}…` : "Searching the directory…";
  const { servers, closest } = await context.wait(work, () => text);
  const isMatch = servers.length > 0;
  const toData = (one: Suggestion) => toSuggestionJson(one, isOnline);
  const data = { servers: servers.map(toData), closest: closest.map(toData) };
  context.reply({ query, verdict: isMatch ? "match" : "no-match", ...data }, () =>
    isMatch ? matchLines(query, servers, isOnline) : closestLines(query, closest, isOnline),
  );
  return isMatch ? 0 : NO_MATCH;
};

const CAREFUL = line(0, dim("These are third-party programs. Review a server before you add it."));

function matchLines(query: string, found: readonly Suggestion[], isOnline: boolean): Line[] {
  const heading = `${count(found.length, "public server")} for "${query}":`;
  return blocks([[heading], ...found.map((one, rank) => suggestionLines(one, rank, isOnline)), [CAREFUL]]);
}

function closestLines(query: string, closest: readonly Suggestion[], isOnline: boolean): Line[] {
  const next = isOnline ? "Try the name of a product." : "Try other words, or search the MCP registry with --online.";
  const heading = `No known server matches "${query}" well. ${next}`;
  if (closest.length === 0) return [heading];
  return blocks([
    [heading],
    ["Closest matches, which are probably not what you want:"],
    ...closest.map((one, rank) => suggestionLines(one, rank, isOnline)),
    [CAREFUL],
  ]);
}

function suggestionLines({ entry, tools }: Suggestion, rank: number, isOnline: boolean): Line[] {
  const number = `${rank + 1}. `;
  const inner = number.length;
  const { name, description, package: source, remote, variables, homepage } = entry;
  const inputs = source === undefined ? (remote?.headers ?? []) : variables;
  const placeholders = toDraftArguments(entry).placeholders.map(({ word }) => word);
  const command = addCommandOf(entry, isOnline);
  const version = source?.version === undefined ? "" : ` ${source.version}`;
  return [
    line(0, number, bold(name), version),
    ...(description === "" ? [] : [line(inner, description)]),
    ...(tools.length === 0 ? [] : [line(inner, `Tools: ${tools.join(", ")}`)]),
    ...(inputs.length === 0 ? [] : [line(inner, `Needs: ${inputs.map(toNeed).join(", ")}`)]),
    ...(placeholders.length === 0 ? [] : [line(inner, `Arguments to fill in: ${placeholders.join(" ")}`)]),
    ...(remote === undefined || source !== undefined ? [] : [line(inner, `Address: ${remote.url}`)]),
    ...(homepage === undefined ? [] : [line(inner, dim(homepage))]),
    command === undefined
      ? line(inner, dim("The directory entry has no version to pin. Add the server with its command instead."))
      : line(inner, `Add it: ${command}`),
  ];
}

function toNeed({ name, isRequired }: DirectoryInput): string {
  return isRequired === true ? name : `${name} (optional)`;
}
