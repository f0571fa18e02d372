// What is written into the configuration when the user adds a server of the directory, and the check before it first runs.
import { DiscoveryError } from "../errors.js";
import type { DirectoryArgument, DirectoryEntry, DirectoryInput } from "./entry.js";

export interface ServerDraft {
  /** The name that the server gets in the configuration, unless the user gives another. */
  readonly name: string;
  readonly connection: DraftConnection;
  /** The environment variables or headers that the user may have to set. */
  readonly inputs: readonly DirectoryInput[];
  /** Arguments that the user has to replace before the server can start. */
  readonly placeholders: readonly string[];
  /** What the package registry states about the package's content, where the entry has it. */
  readonly integrity?: string;
}

export type DraftConnection =
  | { readonly kind: "stdio"; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: "http" | "sse"; readonly url: string };

/** The command is pinned to the exact version of the entry; a remote server is taken where there is no package. */
export function toServerDraft(entry: DirectoryEntry): ServerDraft {
  const { package: source, remote, variables, transport } = entry;
  const name = toServerName(entry);
  if (source === undefined && remote !== undefined) {
    const connection = { kind: transport === "sse" ? "sse" : "http", url: remote.url } as const;
    return { name, connection, inputs: remote.headers, placeholders: [] };
  }
  if (source?.version === undefined) throw withoutVersion(entry);
  const { integrity } = source;
  return {
    name,
    connection: { kind: "stdio", ...toCommand({ ...source, version: source.version }, entry) },
    inputs: variables,
    placeholders: entry.arguments.filter(({ isPlaceholder }) => isPlaceholder === true).map(({ value }) => value),
    ...(integrity === undefined ? {} : { integrity }),
  };
}

interface Pinned {
  readonly registry: "npm" | "pypi" | "oci";
  readonly identifier: string;
  readonly version: string;
}

function toCommand({ registry, identifier, version }: Pinned, { arguments: given, variables }: DirectoryEntry) {
  const rest = given.map(({ value }: DirectoryArgument) => value);
  if (registry === "npm") return { command: "npx", args: ["-y", `${identifier}@${version}`, ...rest] };
  if (registry === "pypi") return { command: "uvx", args: [`${identifier}==${version}`, ...rest] };
  const image = identifier.includes("@") || /:[^/]+$/u.test(identifier) ? identifier : `${identifier}:${version}`;
  const environment = variables.flatMap((variable) => ["-e", variable.name]);
  return { command: "docker", args: ["run", "-i", "--rm", ...environment, image, ...rest] };
}

/** A short name as configurations have it: `@delorenj/mcp-server-trello` becomes `trello`. */
function toServerName({ name }: DirectoryEntry): string {
  const bare = name.slice(name.indexOf("/") + 1);
  const short = bare.replace(/(?:^|[-_.])(?:mcp|server)(?=[-_.]|$)/giu, "").replace(/^[-_.]+|[-_.]+$/gu, "");
  const scope = /^@([^/]+)\//u.exec(name)?.[1];
  return (short === "" ? (scope ?? bare) : short).replace(/[^A-Za-z0-9._-]+/gu, "-").toLowerCase();
}

/** Runs a program without a shell and gives its standard output; rejects when it fails. */
export type RunProgram = (command: string, args: readonly string[]) => Promise<string>;

/** Compares the entry's integrity with what the npm registry states for that version now; rejects when they differ. To be called before the first start. */
export async function verifyIntegrity({ name, package: source }: DirectoryEntry, run: RunProgram): Promise<void> {
  if (source?.registry !== "npm" || source.integrity === undefined || source.version === undefined) return;
  const spec = `${source.identifier}@${source.version}`;
  const stated = await readStated(spec, run);
  if (stated === source.integrity) return;
  const found = stated === undefined ? "states none for it now" : `states ${stated}`;
  throw new DiscoveryError(
    "SIGNATURE_INVALID",
    `The package ${spec} is not the one that the directory lists: its integrity is ${source.integrity}, and the npm registry ${found}.`,
    { server: name, hint: `Do not start it. Review the package with: npm view ${spec}` },
  );
}

async function readStated(spec: string, run: RunProgram): Promise<string | undefined> {
  try {
    const answer: unknown = JSON.parse(await run("npm", ["view", spec, "dist.integrity", "--json"]));
    return typeof answer === "string" ? answer : undefined;
  } catch (error) {
    throw new DiscoveryError("SERVER_CONNECTION_ERROR", `The npm registry could not be asked about ${spec}.`, {
      hint: `Check the network, then run: npm view ${spec} dist.integrity`,
      cause: error,
    });
  }
}

function withoutVersion({ name }: DirectoryEntry): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", `The directory states no version of ${name}, so it cannot be pinned.`, {
    server: name,
    hint: "Add the server by its command: anygpt mcp add NAME -- COMMAND.",
  });
}
