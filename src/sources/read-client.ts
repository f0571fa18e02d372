import { pathText, type Problem } from "../util/document/problem.js";
import type { Document, Parsed } from "../util/document/tree.js";
import type { Client, Companion, ReadContext } from "./clients/client.js";
import { CLIENTS } from "./clients/table.js";
import { expandPattern, LARGEST_PROJECT_BYTES, readWholeFile, type FileRead } from "./files.js";
import { parseSection } from "./formats/parse.js";
import { importServer } from "./import-server.js";
import type { ImportedServer, Scope } from "./imported.js";
import type { OwnProgram } from "./itself.js";
import { CLIENT_IDS, type ClientId } from "./options.js";
import { pathsOf, type System } from "./system.js";
import { workspaceOf } from "./workspace.js";

/** A file that a program may keep servers in. */
export interface ClientFile {
  readonly client: ClientId;
  readonly scope: Scope;
  readonly path: string;
  /** Why it is not even opened. */
  readonly refused?: string;
}

export interface ReadParts {
  readonly system: System;
  readonly own?: OwnProgram | undefined;
}

export type ClientContent =
  | { readonly kind: "missing" }
  | { readonly kind: "broken"; readonly problems: readonly Problem[] }
  | {
      readonly kind: "read";
      /** The bytes that the servers were read from: what trust is about. */
      readonly file: FileRead;
      /** Further places that have a say or would have one, were they there; of a pattern its folder too. */
      readonly companions: readonly { readonly path: string }[];
      readonly servers: readonly ImportedServer[];
      /** Entries that are wrong, each left out. */
      readonly problems: readonly Problem[];
    };

/** Every place where the programs keep servers on this system, whether there is a file or not; patterns are expanded. */
export function clientFiles(system: System, ids: readonly ClientId[] = CLIENT_IDS): ClientFile[] {
  const all = placesOf(system, ids).flatMap((place) => expandPlace(place, system));
  // In the home folder a person's own files look as if they had come with a project.
  const own = new Set(all.flatMap(({ scope, path }) => (scope === "project" ? [] : [path])));
  return all.filter(({ scope, path }) => scope !== "project" || !own.has(path));
}

const MOST_PROJECT_MATCHES = 20;

/** One file too many of a project's stands for all that are left out. */
function expandPlace(place: ClientFile, system: System): ClientFile[] {
  const places = expandPattern(place.path, system).map((path): ClientFile => ({ ...place, path }));
  if (place.scope !== "project") return places;
  const refused = `is left out with all that follow it: only the first ${MOST_PROJECT_MATCHES} files of the folder are read`;
  return [
    ...places.slice(0, MOST_PROJECT_MATCHES),
    ...places.slice(MOST_PROJECT_MATCHES, MOST_PROJECT_MATCHES + 1).map((one) => ({ ...one, refused })),
  ];
}

/** The folders in which a file that is not there yet would be one more place. */
export function clientFolders(system: System, ids: readonly ClientId[]): string[] {
  return placesOf(system, ids).flatMap(({ path }) => patternFolder(path, system));
}

function patternFolder(path: string, system: System): string[] {
  if (!path.includes("*")) return [];
  return [path.slice(0, path.lastIndexOf(pathsOf(system).sep, path.indexOf("*")))];
}

function placesOf(system: System, ids: readonly ClientId[]): ClientFile[] {
  return ids.flatMap((client) => CLIENTS[client].places(system).map((place) => ({ client, ...place })));
}

/** Reads one file of a program. Nothing is started and nothing is decided: what is disabled or ours is only marked so. */
export async function readClientFile(place: ClientFile, { system, own }: ReadParts): Promise<ClientContent> {
  const client: Client = CLIENTS[place.client];
  const file = place.path;
  if (place.refused !== undefined) return broken([{ file, path: "", reason: place.refused }]);
  const content = await readWholeFile(file, place.scope === "project" ? LARGEST_PROJECT_BYTES : undefined);
  if (content.kind === "missing") return content;
  if (content.kind === "unreadable") return broken([{ file, path: "", reason: content.reason }]);
  const layout = client.layoutOf(file);
  const parsed = await parseSection(content.text, layout.section(system));
  if (parsed.kind === "faults") return broken(faultsOf(parsed, file));
  const { document } = parsed;
  const companions = layout.companions?.({ path: file, document: document.value }, system) ?? [];
  const beside = await readCompanions(companions, { place, system });
  const context: ReadContext = { system, path: file, companions: beside.map(({ value }) => value) };
  const { servers: found, inputs = new Map(), faults = [] } = layout.read(document.value, context);
  if (faults.length > 0) return broken(faults.map((fault) => problemAt(file, document, fault)));
  const parts = { client, layout, file, scope: place.scope, document, system, inputs, own };
  const results = found.map((server) => importServer(server, parts));
  return {
    kind: "read",
    file: content.file,
    companions: [
      ...companions.flatMap(({ path }) => patternFolder(path, system)),
      ...beside.map((one) => one.path),
    ].map((path) => ({ path })),
    servers: results.flatMap((result) => (result.kind === "server" ? [result.server] : [])),
    problems: results.flatMap((result) => (result.kind === "wrong" ? result.problems : [])),
  };
}

interface CompanionContent {
  readonly path: string;
  readonly value: unknown;
}

interface Beside {
  readonly place: ClientFile;
  readonly system: System;
}

/** One that is named without `*` keeps its place in the order even when there is nothing to read. */
async function readCompanions(companions: readonly Companion[], beside: Beside): Promise<CompanionContent[]> {
  const read = await Promise.all(
    companions.map(async (companion) => {
      const paths = expandPattern(companion.path, beside.system);
      return await Promise.all(paths.map((path) => readCompanion({ ...companion, path }, beside)));
    }),
  );
  return read.flat();
}

async function readCompanion(companion: Companion, beside: Beside): Promise<CompanionContent> {
  const { path } = companion;
  const content = await readWholeFile(path, isOfProject(path, beside) ? LARGEST_PROJECT_BYTES : undefined);
  if (content.kind !== "text") return { path, value: undefined };
  const parsed = await parseSection(content.text, companion);
  return { path, value: parsed.kind === "document" ? parsed.document.value : undefined };
}

/** Beside a project's file lie files of the project and of the person, whose home may be the project. */
function isOfProject(path: string, { place, system }: Beside): boolean {
  const { sep } = pathsOf(system);
  const isOwn = placesOf(system, [place.client]).some((one) => one.scope !== "project" && one.path === path);
  return place.scope === "project" && !isOwn && path.startsWith(`${workspaceOf(place.path, system)}${sep}`);
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
