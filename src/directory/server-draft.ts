// Creates the configuration entry for a server in the directory, and checks its package before the first start.
import { DiscoveryError } from "../errors.js";
import { toLiteralText, type Placeholder, toDraftArguments } from "./draft-arguments.js";
import type { DirectoryEntry, DirectoryInput } from "./entry.js";

export interface ServerDraft {
  /** The default name of the server in the configuration. */
  readonly name: string;
  readonly connection: DraftConnection;
  /** Environment variables or headers that the user may need to set. */
  readonly inputs: readonly DirectoryInput[];
  /** Arguments that the user must replace before the server can start. */
  readonly placeholders: readonly Placeholder[];
  /** The integrity hash of the package, if the entry has one. */
  readonly integrity?: string;
}

export type DraftConnection =
  | { readonly kind: "stdio"; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: "http" | "sse"; readonly url: string };

/** A draft that pins the package to the version in the entry. Uses the remote server if there is no package. */
export function toServerDraft(entry: DirectoryEntry): ServerDraft {
  const { package: source, remote, variables, transport } = entry;
  const name = toServerName(entry);
  if (source === undefined && remote !== undefined) {
    const connection = { kind: transport === "sse" ? "sse" : "http", url: toLiteralText(remote.url) } as const;
    return { name, connection, inputs: remote.headers, placeholders: [] };
  }
  if (source?.version === undefined) throw withoutVersion(entry);
  const { integrity } = source;
  const { args: own, placeholders } = toDraftArguments(entry);
  const { command, args } = toCommand({ ...source, version: source.version }, entry);
  return {
    name,
    connection: { kind: "stdio", command, args: [...args, ...own] },
    inputs: variables,
    placeholders: placeholders.map((one) => ({ ...one, index: args.length + one.index })),
    ...(integrity === undefined ? {} : { integrity }),
  };
}

interface Pinned {
  readonly registry: "npm" | "pypi" | "oci";
  readonly identifier: string;
  readonly version: string;
}

/** The command that runs the package (npx, uvx or docker), without the server's own arguments. */
function toCommand({ registry, identifier, version }: Pinned, { variables }: DirectoryEntry) {
  if (registry === "npm") return { command: "npx", args: ["-y", toLiteralText(`${identifier}@${version}`)] };
  if (registry === "pypi") return { command: "uvx", args: [toLiteralText(`${identifier}==${version}`)] };
  const image = identifier.includes("@") || /:[^/]+$/u.test(identifier) ? identifier : `${identifier}:${version}`;
  const environment = variables.flatMap((variable) => ["-e", variable.name]);
  return { command: "docker", args: ["run", "-i", "--rm", ...environment, toLiteralText(image)] };
}

/** The short name for a configuration: `@delorenj/mcp-server-trello` becomes `trello`. */
export function toServerName({ name }: Pick<DirectoryEntry, "name">): string {
  const bare = name.slice(name.indexOf("/") + 1);
  const short = bare.replace(/(?:^|[-_.])(?:mcp|server)(?=[-_.]|$)/giu, "").replace(/^[-_.]+|[-_.]+$/gu, "");
  const scope = /^@([^/]+)\//u.exec(name)?.[1];
  return (short === "" ? (scope ?? bare) : short).replace(/[^A-Za-z0-9._-]+/gu, "-").toLowerCase();
}

/** Runs a program without a shell and returns its standard output; rejects if it fails. */
export type RunProgram = (command: string, args: readonly string[]) => Promise<string>;

/**
 * Throws if the npm registry has another integrity hash for this version than the entry. Call it before the first
 * start.
 */
export async function verifyIntegrity({ name, package: source }: DirectoryEntry, run: RunProgram): Promise<void> {
  if (source?.registry !== "npm" || source.integrity === undefined || source.version === undefined) return;
  const spec = `${source.identifier}@${source.version}`;
  const current = await readRegistryIntegrity(spec, run);
  if (current === source.integrity) return;
  const found = current === undefined ? "has none" : `has ${current}`;
  throw new DiscoveryError(
    "SIGNATURE_INVALID",
    `The package ${spec} is not the one that the directory lists: the directory has the integrity ${source.integrity}, the npm registry ${found}.`,
    {
      server: name,
      hint: [
        "Do not start the server.",
        { action: "run-command", command: `npm view ${spec}`, purpose: "review the package" },
      ],
    },
  );
}

async function readRegistryIntegrity(spec: string, run: RunProgram): Promise<string | undefined> {
  try {
    const answer: unknown = JSON.parse(await run("npm", ["view", spec, "dist.integrity", "--json"]));
    return typeof answer === "string" ? answer : undefined;
  } catch (error) {
    throw new DiscoveryError("SERVER_CONNECTION_ERROR", `The npm registry could not be queried for ${spec}.`, {
      hint: [
        "Check the network.",
        { action: "run-command", command: `npm view ${spec} dist.integrity`, purpose: "read the checksum" },
      ],
      cause: error,
    });
  }
}

function withoutVersion({ name }: DirectoryEntry): DiscoveryError {
  return new DiscoveryError(
    "INVALID_REQUEST",
    `The directory entry ${name} has no version, so the package cannot be pinned.`,
    {
      server: name,
      hint: {
        action: "run-command",
        command: "anygpt mcp add NAME -- COMMAND",
        purpose: "add the server by its command",
      },
    },
  );
}
