// Comes in: the name of a public server; goes out: its draft, pinned to the version and the content that the directory lists.
import { createVariables } from "../../config/variables.js";
import { toAddCommand, toHeaderVariable } from "../../directory/add-command.js";
import { openDirectory } from "../../directory/directory.js";
import type { DirectoryEntry, DirectoryInput } from "../../directory/entry.js";
import { toServerDraft, verifyIntegrity } from "../../directory/server-draft.js";
import { DiscoveryError } from "../../errors.js";
import type { Place } from "../../place.js";
import { commandLine } from "../../util/command-line.js";
import { readProgram } from "../programs/run-program.js";
import type { ServerDraft } from "./add.js";
import { toVariable } from "./draft.js";

export interface PublicServerParts {
  readonly place: Place;
  readonly signal: AbortSignal;
  /** Another name for it in the configuration. */
  readonly as?: string | undefined;
  /** `NAME=value`, or `NAME`. */
  readonly env: readonly string[];
}

/** Finds the server and asks the package registry whether its content is still the one that the directory lists. */
export async function findPublicServer(name: string, parts: PublicServerParts): Promise<ServerDraft> {
  const { place, signal } = parts;
  const entry = await openDirectory().get(name);
  if (entry === undefined) throw unknown(name);
  const draft = toDraft(entry, parts);
  const where = { env: place.env, cwd: place.home, signal };
  await verifyIntegrity(entry, (command, args) => readProgram(command, args, where));
  return draft;
}

function unknown(name: string): DiscoveryError {
  const message = `"${name}" is not in the directory of public servers, and no command, address or JSON was given.`;
  return new DiscoveryError("INVALID_REQUEST", message, {
    hint: `Write \`anygpt mcp add ${name} -- COMMAND …\` or \`anygpt mcp add ${name} https://…\`, or search with \`anygpt mcp find ${commandLine([name])}\`.`,
  });
}

function toDraft(entry: DirectoryEntry, { place, as, env }: PublicServerParts): ServerDraft {
  const { name: short, connection, inputs, placeholders } = toServerDraft(entry);
  const name = as ?? short;
  if (placeholders.length > 0) throw incomplete(entry, placeholders);
  const variables = createVariables({ ...place, admits: () => false });
  const isSet = (variable: string): boolean => ["process", "file"].includes(variables.originOf(variable).kind);
  if (connection.kind !== "stdio") {
    const headers = needed(inputs).map((input) => [input.name, `\${${toHeaderVariable(name, input)}}`] as const);
    const missing = needed(inputs).map((input) => toHeaderVariable(name, input));
    const shown = headers.length === 0 ? {} : { headers: Object.fromEntries(headers) };
    const type = connection.kind === "sse" ? { type: "sse" } : {};
    return {
      name,
      entry: { ...type, url: connection.url, ...shown },
      notes: notesOn(
        entry,
        missing.filter((one) => !isSet(one)),
        [],
      ),
    };
  }
  const given = Object.fromEntries(env.map(toVariable));
  const passed = inputs.filter((input) => input.isRequired === true || isSet(input.name)).map((input) => input.name);
  const all = { ...Object.fromEntries(passed.map((one) => [one, `\${${one}}`])), ...given };
  const missing = passed.filter((one) => given[one] === undefined && !isSet(one));
  const optional = inputs.map((input) => input.name).filter((one) => all[one] === undefined);
  return {
    name,
    entry: {
      command: connection.command,
      args: [...connection.args],
      ...(Object.keys(all).length === 0 ? {} : { env: all }),
    },
    notes: notesOn(entry, missing, optional),
  };
}

function needed(inputs: readonly DirectoryInput[]): DirectoryInput[] {
  return inputs.filter(({ isRequired }) => isRequired === true);
}

const REGISTRIES = { npm: "npm", pypi: "PyPI", oci: "container" } as const;

function notesOn(entry: DirectoryEntry, missing: readonly string[], optional: readonly string[]): string[] {
  const { package: source, homepage } = entry;
  const them = missing.length === 1 ? "it" : "them";
  return [
    ...(source === undefined
      ? []
      : [`${REGISTRIES[source.registry]} package ${source.identifier}, version ${source.version ?? ""}.`]),
    ...(source?.integrity === undefined
      ? ["The directory has no integrity for it, so its content was not compared."]
      : [`Integrity ${source.integrity}, as the registry states it now.`]),
    ...(homepage === undefined ? [] : [`Home page: ${homepage}`]),
    ...(missing.length === 0
      ? []
      : [`It needs ${missing.join(", ")}. Set ${them} in the environment or in ~/.ai/.env, or give --env NAME=value.`]),
    ...(optional.length === 0 ? [] : [`It can also use ${optional.join(", ")}: give --env NAME or --env NAME=value.`]),
  ];
}

function incomplete(entry: DirectoryEntry, placeholders: readonly string[]): DiscoveryError {
  return new DiscoveryError(
    "INVALID_REQUEST",
    `${entry.name} needs arguments that only you know: ${placeholders.join(" ")}.`,
    { hint: `Put them into this command: ${toAddCommand(entry) ?? ""}` },
  );
}
