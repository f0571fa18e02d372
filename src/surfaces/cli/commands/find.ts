import { openDirectory } from "../../../directory/directory.js";
import { toAddCommand } from "../../../directory/add-command.js";
import type { DirectoryEntry, DirectoryInput } from "../../../directory/entry.js";
import type { Suggestion } from "../../../directory/rank.js";
import { createRegistryClient, OFFICIAL_REGISTRY } from "../../../directory/registry-client.js";
import { DiscoveryError } from "../../../errors.js";
import { loadOwnModel } from "../../../own-model.js";
import type { Handler } from "../command.js";
import { blocks, bold, count, dim, line, type Line } from "../lines.js";

const NOTHING_FOUND = 2;
const DEFAULT_LIMIT = 5;
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
  if (context.isJson) context.json({ query, servers: found.map((one) => toJson(one, isOnline)) });
  else context.show(findLines(query, found, isOnline));
  return found.length === 0 ? NOTHING_FOUND : 0;
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

function findLines(query: string, found: readonly Suggestion[], isOnline: boolean): Line[] {
  if (found.length === 0) {
    const next = isOnline ? "Try the name of a product." : "Try other words, or ask the MCP registry with --online.";
    return [line(0, `No public server for "${query}" is known. ${next}`)];
  }
  const heading = line(0, `${count(found.length, "public server")} for "${query}":`);
  const careful = line(0, dim("These are other people's programs. Review one before you add it."));
  return blocks([[heading], ...found.map((one, rank) => suggestionLines(one, rank, isOnline)), [careful]]);
}

function suggestionLines({ entry, tools, isSure }: Suggestion, rank: number, isOnline: boolean): Line[] {
  const number = `${rank + 1}. `;
  const inner = number.length;
  const { name, description, package: source, remote, variables, homepage, arguments: given } = entry;
  const inputs = source === undefined ? (remote?.headers ?? []) : variables;
  const placeholders = given.filter(({ isPlaceholder }) => isPlaceholder === true).map(({ value }) => value);
  const command = addCommand(entry, isOnline);
  const version = source?.version === undefined ? "" : ` ${source.version}`;
  return [
    line(0, number, bold(name), version, isSure ? "" : dim(" (weak match)")),
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
