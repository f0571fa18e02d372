import { pathText, type Problem } from "../util/document/problem.js";
import type { Document, Parsed } from "../util/document/tree.js";
import type { Client, Companion, ReadContext } from "./clients/client.js";
import { CLIENTS } from "./clients/table.js";
import { expandPattern, MAX_PROJECT_BYTES, readWholeFile, type FileRead } from "./files.js";
import { parseSection } from "./formats/parse.js";
import { importServer } from "./import-server.js";
import type { ImportedServer, Scope } from "./imported.js";
import type { OwnProgram } from "./itself.js";
import { CLIENT_IDS, type ClientId } from "./options.js";
import { pathsOf, type System } from "./system.js";
import { workspaceOf } from "./workspace.js";

/** A file in which a program may store servers. */
export interface ClientFile {
  readonly client: ClientId;
  readonly scope: Scope;
  readonly path: string;
  /** The reason why the file must not be opened; undefined if it may be opened. */
  readonly refused?: string;
}

export interface ReadClientParts {
  readonly system: System;
  readonly own?: OwnProgram | undefined;
}

export type ClientContent =
  | { readonly kind: "missing" }
  | { readonly kind: "broken"; readonly problems: readonly Problem[] }
  | {
      readonly kind: "read";
      /** The file from which the servers were read; trust applies to exactly these bytes. */
      readonly file: FileRead;
      /** Other files that affect the result, or would if they existed. For a path pattern, its folder is included. */
      readonly companions: readonly { readonly path: string }[];
      readonly servers: readonly ImportedServer[];
      /** Invalid entries; each was skipped. */
      readonly problems: readonly Problem[];
    };

/** Every path where the programs store servers on this system, whether it exists or not; patterns are expanded. */
export function clientFiles(system: System, ids: readonly ClientId[] = CLIENT_IDS): ClientFile[] {
  const all = locationsOf(system, ids).flatMap((location) => expandLocation(location, system));
  // If the working folder is the home folder, the user's own files have the same paths as project files.
  const own = new Set(all.flatMap(({ scope, path }) => (scope === "project" ? [] : [path])));
  return all.filter(({ scope, path }) => scope !== "project" || !own.has(path));
}

const MAX_PROJECT_MATCHES = 20;

/**
 * Expands a path pattern. The number of files per project is limited: the first file over the limit is returned with
 * `refused`, which explains that it and all further files are ignored.
 */
function expandLocation(location: ClientFile, system: System): ClientFile[] {
  const locations = expandPattern(location.path, system).map((path): ClientFile => ({ ...location, path }));
  if (location.scope !== "project") return locations;
  const refused = `is ignored, like all files after it: only the first ${MAX_PROJECT_MATCHES} files of the folder are read`;
  return [
    ...locations.slice(0, MAX_PROJECT_MATCHES),
    ...locations.slice(MAX_PROJECT_MATCHES, MAX_PROJECT_MATCHES + 1).map((one) => ({ ...one, refused })),
  ];
}

/** The folders of path patterns; a file that is added to one of them is a new source. */
export function clientFolders(system: System, ids: readonly ClientId[]): string[] {
  return locationsOf(system, ids).flatMap(({ path }) => patternFolder(path, system));
}

function patternFolder(path: string, system: System): string[] {
  if (!path.includes("*")) return [];
  return [path.slice(0, path.lastIndexOf(pathsOf(system).sep, path.indexOf("*")))];
}

function locationsOf(system: System, ids: readonly ClientId[]): ClientFile[] {
  return ids.flatMap((client) => CLIENTS[client].locations(system).map((location) => ({ client, ...location })));
}

/**
 * Reads the server entries of one configuration file of an MCP client, without starting a server. Returns all entries;
 * disabled servers and the entry of this gateway are marked.
 */
export async function readClientFile(location: ClientFile, { system, own }: ReadClientParts): Promise<ClientContent> {
  const client: Client = CLIENTS[location.client];
  const file = location.path;
  if (location.refused !== undefined) return broken([{ file, path: "", reason: location.refused }]);
  const content = await readWholeFile(file, location.scope === "project" ? MAX_PROJECT_BYTES : undefined);
  if (content.kind === "missing") return content;
  if (content.kind === "unreadable") return broken([{ file, path: "", reason: content.reason }]);
  const layout = client.layoutOf(file);
  const parsed = await parseSection(content.text, layout.section(system));
  if (parsed.kind === "faults") return broken(faultsOf(parsed, file));
  const { document } = parsed;
  const companions = layout.companions?.({ path: file, document: document.value }, system) ?? [];
  const contents = await readCompanions(companions, { location, system });
  const context: ReadContext = { system, path: file, companions: contents.map(({ value }) => value) };
  const { servers: found, inputs = new Map(), faults = [] } = layout.read(document.value, context);
  if (faults.length > 0) return broken(faults.map((fault) => problemAt(file, document, fault)));
  const parts = { client, layout, file, scope: location.scope, document, system, inputs, own };
  const results = found.map((server) => importServer(server, parts));
  return {
    kind: "read",
    file: content.file,
    companions: [
      ...companions.flatMap(({ path }) => patternFolder(path, system)),
      ...contents.map((one) => one.path),
    ].map((path) => ({ path })),
    servers: results.flatMap((result) => (result.kind === "server" ? [result.server] : [])),
    problems: results.flatMap((result) => (result.kind === "invalid" ? result.problems : [])),
  };
}

interface CompanionContent {
  readonly path: string;
  readonly value: unknown;
}

interface CompanionParts {
  readonly location: ClientFile;
  readonly system: System;
}

/** Reads the companion files. One whose path has no `*` keeps its position in the result, even if it cannot be read. */
async function readCompanions(companions: readonly Companion[], parts: CompanionParts): Promise<CompanionContent[]> {
  const read = await Promise.all(
    companions.map(async (companion) => {
      const paths = expandPattern(companion.path, parts.system);
      return await Promise.all(paths.map((path) => readCompanion({ ...companion, path }, parts)));
    }),
  );
  return read.flat();
}

async function readCompanion(companion: Companion, parts: CompanionParts): Promise<CompanionContent> {
  const { path } = companion;
  const content = await readWholeFile(path, isOfProject(path, parts) ? MAX_PROJECT_BYTES : undefined);
  if (content.kind !== "text") return { path, value: undefined };
  const parsed = await parseSection(content.text, companion);
  return { path, value: parsed.kind === "document" ? parsed.document.value : undefined };
}

/**
 * Whether the path belongs to the project. The user's own files can be in the same folder if the project is the home
 * folder.
 */
function isOfProject(path: string, { location, system }: CompanionParts): boolean {
  const { sep } = pathsOf(system);
  const isOwn = locationsOf(system, [location.client]).some((one) => one.scope !== "project" && one.path === path);
  return location.scope === "project" && !isOwn && path.startsWith(`${workspaceOf(location.path, system)}${sep}`);
}

function faultsOf({ faults }: Parsed & { kind: "faults" }, file: string): Problem[] {
  return faults.map(({ path, position, reason }) => ({ file, path: pathText(path), ...position, reason }));
}

function problemAt(
  file: string,
  document: Document,
  { path, reason }: { readonly path: readonly (string | number)[]; readonly reason: string },
): Problem {
  return { file, path: pathText(path), ...document.positionOf(path), reason };
}

function broken(problems: readonly Problem[]): ClientContent {
  return { kind: "broken", problems };
}
