import { openDirectory } from "../../../directory/directory.js";
import { toAddCommand } from "../../../directory/add-command.js";
import type { DirectoryEntry, DirectoryInput } from "../../../directory/entry.js";
import type { Suggestion } from "../../../directory/rank.js";
import { createRegistryClient, OFFICIAL_REGISTRY } from "../../../directory/registry-client.js";
import { DiscoveryError } from "../../../errors.js";
import { loadOwnModel } from "../../../own-model.js";
import type { Handler } from "../command.js";
import { blocks, bold, count, dim, line, type Line } from "../lines.js";

const NO_MATCH = 2;
const DEFAULT_LIMIT = 5;
/** When no server fits well, at most so many of the closest ones are listed. */
const MOST_CLOSEST = 3;
const REGISTRY_VARIABLE = "ANYGPT_REGISTRY_URL";

export const find: Handler = async (input, context) => {
  const query = input.argument("query").trim();
  if (query === "") {
    throw new DiscoveryError("INVALID_REQUEST", "The query is empty.", {
      hint: 'Say what you want to do: anygpt mcp find "send an SMS".',
    });
  }
  const limit = input.number("limit") ?? DEFAULT_LIMIT;
  const isOnline = input.flag("online");
  const address = context.io.env[REGISTRY_VARIABLE] ?? OFFICIAL_REGISTRY;
  const work = isOnline
    ? createRegistryClient(address).search(query, limit, context.io.signal)
    : openDirectory({ meaning: () => loadOwnModel(context.warn) }).search(query, limit);
  const found = await context.wait(work, () => (isOnline ? `Asking ${address}…` : "Searching the directory…"));
  const servers = found.filter(({ isSure }) => isSure);
  const closest = servers.length > 0 ? [] : found.slice(0, MOST_CLOSEST);
  const verdict = servers.length > 0 ? "match" : "no-match";
  const toData = (one: Suggestion) => toJson(one, isOnline);
  if (context.isJson) context.json({ query, verdict, servers: servers.map(toData), closest: closest.map(toData) });
  else context.show(servers.length > 0 ? matchLines(query, servers, isOnline) : closestLines(query, closest, isOnline));
  return servers.length > 0 ? 0 : NO_MATCH;
};

function toJson({ entry, tools, confidence }: Suggestion, isOnline: boolean) {
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
    add: addCommand(entry, isOnline) ?? null,
  };
}

const CAREFUL = line(0, dim("These are other people's programs. Review one before you add it."));

function matchLines(query: string, found: readonly Suggestion[], isOnline: boolean): Line[] {
  const heading = line(0, `${count(found.length, "public server")} for "${query}":`);
  return blocks([[heading], ...found.map((one, rank) => suggestionLines(one, rank, isOnline)), [CAREFUL]]);
}

function closestLines(query: string, closest: readonly Suggestion[], isOnline: boolean): Line[] {
  const next = isOnline ? "Try the name of a product." : "Try other words, or ask the MCP registry with --online.";
  const heading = line(0, `No known server fits "${query}" well. ${next}`);
  if (closest.length === 0) return [heading];
  return blocks([
    [heading],
    [line(0, "Closest, but probably not what you want:")],
    ...closest.map((one, rank) => suggestionLines(one, rank, isOnline)),
    [CAREFUL],
  ]);
}

function suggestionLines({ entry, tools }: Suggestion, rank: number, isOnline: boolean): Line[] {
  const number = `${rank + 1}. `;
  const inner = number.length;
  const { name, description, package: source, remote, variables, homepage, arguments: given } = entry;
  const inputs = source === undefined ? (remote?.headers ?? []) : variables;
  const placeholders = given.filter(({ isPlaceholder }) => isPlaceholder === true).map(({ value }) => value);
  const command = addCommand(entry, isOnline);
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
      ? line(inner, dim("It states no version, so it cannot be pinned: add it by its command."))
      : line(inner, `Add it: ${command}`),
  ];
}

function toNeed({ name, isRequired }: DirectoryInput): string {
  return isRequired === true ? name : `${name} (optional)`;
}

/** A server that `add` does not find by its name, or that needs arguments of the user, is added by its whole command. */
function addCommand(entry: DirectoryEntry, isOnline: boolean): string | undefined {
  const isWhole = isOnline || entry.arguments.some(({ isPlaceholder }) => isPlaceholder === true);
  return isWhole ? toAddCommand(entry) : `anygpt mcp add ${entry.name}`;
}
