// Creates the configuration entry of a public server, pinned to the version and integrity that the directory lists.
import type { NextStep } from "../../model/next-steps.js";
import { createVariables } from "../../config/variables.js";
import { toAddCommand, toHeaderVariable } from "../../directory/add-command.js";
import { openDirectory } from "../../directory/directory.js";
import type { DirectoryEntry, DirectoryInput } from "../../directory/entry.js";
import type { Placeholder } from "../../directory/draft-arguments.js";
import { type ServerDraft as DirectoryDraft, toServerDraft, verifyIntegrity } from "../../directory/server-draft.js";
import { DiscoveryError } from "../../errors.js";
import type { RuntimeEnvironment } from "../../gateway/runtime-environment.js";
import { commandLine, shellLine } from "../../util/command-line.js";
import { expandHome } from "../../util/home-path.js";
import { readProgram } from "../programs/run-program.js";
import type { AddRequest } from "./add.js";
import { toVariable } from "./draft.js";

export interface PublicServerParts {
  readonly place: RuntimeEnvironment;
  readonly signal: AbortSignal;
  /** The name in the configuration, if it differs from the public name. */
  readonly as?: string | undefined;
  /** Environment variables as `NAME=value`, or as `NAME` to refer to the variable of that name. */
  readonly env: readonly string[];
  /** Asks the user for an argument. Undefined without a terminal. */
  readonly askArgument?: ((placeholder: Placeholder) => Promise<string | undefined>) | undefined;
}

/** Finds a public server, and checks that the package registry has the same integrity hash as the directory. */
export async function findPublicServer(name: string, parts: PublicServerParts): Promise<AddRequest> {
  const { place, signal } = parts;
  const directory = openDirectory();
  const entry = await directory.get(name);
  if (entry === undefined) throw notInDirectory(name, await directory.namedLike(name));
  const draft = toDraft(entry, await fillIn(entry, parts), parts);
  const where = { env: place.env, cwd: place.home, signal };
  await verifyIntegrity(entry, (command, args) => readProgram(command, args, where));
  return draft;
}

const MAX_CANDIDATES = 5;

function notInDirectory(name: string, candidates: readonly string[]): DiscoveryError {
  const message = `"${name}" is not in the directory of public servers, and the request has no command, URL or JSON.`;
  const run = (command: string, purpose: string): NextStep => ({
    action: "run-command",
    command: `anygpt mcp ${command}`,
    purpose,
  });
  return new DiscoveryError("INVALID_REQUEST", message, {
    hint: [
      ...candidates
        .slice(0, MAX_CANDIDATES)
        .map((one) => run(`add ${shellLine([one])}`, `add the public server ${one}`)),
      run(`add ${name} -- COMMAND …`, "add a server that the gateway starts"),
      run(`add ${name} https://…`, "add a remote server"),
      run(`find ${commandLine([name])}`, "search for public servers"),
    ],
  });
}

/** Replaces placeholders in the server's arguments with values from the user. */
async function fillIn(entry: DirectoryEntry, { askArgument, place }: PublicServerParts): Promise<DirectoryDraft> {
  const draft = toServerDraft(entry);
  const { connection, placeholders } = draft;
  if (connection.kind !== "stdio" || placeholders.length === 0) return draft;
  const args = [...connection.args];
  for (const placeholder of placeholders) {
    const argument = (await askArgument?.(placeholder))?.trim() ?? "";
    if (argument === "") throw incomplete(entry, placeholders);
    const [option = ""] = /^--?[\w-]+=/.exec(placeholder.word) ?? [];
    args[placeholder.index] = argument.startsWith(option) ? expandHome(argument, place.home) : `${option}${argument}`;
  }
  return { ...draft, connection: { ...connection, args } };
}

function toDraft(
  entry: DirectoryEntry,
  { name: short, connection, inputs, integrity }: DirectoryDraft,
  { place, as, env }: PublicServerParts,
): AddRequest {
  const name = as ?? short;
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
  const fromOptions = Object.fromEntries(env.map(toVariable));
  const passed = inputs.filter((input) => input.isRequired === true || isSet(input.name)).map((input) => input.name);
  const all = { ...Object.fromEntries(passed.map((one) => [one, `\${${one}}`])), ...fromOptions };
  const missing = passed.filter((one) => fromOptions[one] === undefined && !isSet(one));
  const optional = inputs.map((input) => input.name).filter((one) => all[one] === undefined);
  return {
    name,
    entry: {
      command: connection.command,
      args: [...connection.args],
      ...(Object.keys(all).length === 0 ? {} : { env: all }),
      ...(entry.package?.registry === "npm" && integrity !== undefined ? { integrity } : {}),
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
      ? ["The directory lists no integrity hash for this package, so its content was not verified."]
      : [`Integrity ${source.integrity}, the same in the package registry.`]),
    ...(homepage === undefined ? [] : [`Home page: ${homepage}`]),
    ...(missing.length === 0
      ? []
      : [
          `The server needs ${missing.join(", ")}. Set ${them} in the environment or in ~/.ai/.env, or add --env NAME=value.`,
        ]),
    ...(optional.length === 0
      ? []
      : [`The server can also use ${optional.join(", ")}: add --env NAME or --env NAME=value.`]),
  ];
}

function incomplete(entry: DirectoryEntry, placeholders: readonly Placeholder[]): DiscoveryError {
  const words = placeholders.map(({ word, example }) =>
    example === undefined ? word : `${word}, for example ${example}`,
  );
  return new DiscoveryError(
    "INVALID_REQUEST",
    `${entry.name} needs arguments that you must provide: ${words.join("; ")}.`,
    {
      hint: {
        action: "run-command",
        command: toAddCommand(entry) ?? "anygpt mcp add --help",
        purpose: "add it with your own values",
      },
    },
  );
}
