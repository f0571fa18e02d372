import { pathText, type Problem } from "../util/document/problem.js";
import type { Document, Parsed } from "../util/document/tree.js";
import type { Client, Companion, ReadContext } from "./clients/client.js";
import { CLIENTS } from "./clients/table.js";
import { expandPattern, readWholeFile, type FileRead } from "./files.js";
import { parseSection } from "./formats/parse.js";
import { importServer } from "./import-server.js";
import type { ImportedServer, Scope } from "./imported.js";
import type { OwnProgram } from "./itself.js";
import { CLIENT_IDS, type ClientId } from "./options.js";
import { pathsOf, type System } from "./system.js";

/** A file that a program may keep servers in. */
export interface ClientFile {
  readonly client: ClientId;
  readonly scope: Scope;
  readonly path: string;
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
      /** Further files that had a say. */
      readonly companions: readonly FileRead[];
      readonly servers: readonly ImportedServer[];
      /** Entries that are wrong, each left out. */
      readonly problems: readonly Problem[];
    };

/** Every place where the programs keep servers on this system, whether there is a file or not; patterns are expanded. */
export function clientFiles(system: System, ids: readonly ClientId[] = CLIENT_IDS): ClientFile[] {
  const all = placesOf(system, ids).flatMap((place) =>
    expandPattern(place.path, system).map((path) => ({ ...place, path })),
  );
  // In the home folder a person's own files look as if they had come with a project.
  const own = new Set(all.flatMap(({ scope, path }) => (scope === "project" ? [] : [path])));
  return all.filter(({ scope, path }) => scope !== "project" || !own.has(path));
}

/** The folders in which a file that is not there yet would be one more place. */
export function clientFolders(system: System, ids: readonly ClientId[]): string[] {
  const { sep } = pathsOf(system);
  const patterns = placesOf(system, ids).filter(({ path }) => path.includes("*"));
  return patterns.map(({ path }) => path.slice(0, path.lastIndexOf(sep, path.indexOf("*"))));
}

function placesOf(system: System, ids: readonly ClientId[]): ClientFile[] {
  return ids.flatMap((client) => CLIENTS[client].places(system).map((place) => ({ client, ...place })));
}

/** Reads one file of a program. Nothing is started and nothing is decided: what is disabled or ours is only marked so. */
export async function readClientFile(place: ClientFile, { system, own }: ReadParts): Promise<ClientContent> {
  const client: Client = CLIENTS[place.client];
  const file = place.path;
  const content = await readWholeFile(file);
  if (content.kind === "missing") return content;
  if (content.kind === "unreadable") return broken([{ file, path: "", reason: content.reason }]);
  const layout = client.layoutOf(file);
  const parsed = await parseSection(content.text, layout.section(system));
  if (parsed.kind === "faults") return broken(faultsOf(parsed, file));
  const { document } = parsed;
  const beside = await readCompanions(
    layout.companions?.({ path: file, document: document.value }, system) ?? [],
    system,
  );
  const context: ReadContext = { system, path: file, companions: beside.map(({ value }) => value) };
  const { servers: found, inputs = new Map(), faults = [] } = layout.read(document.value, context);
  if (faults.length > 0) return broken(faults.map((fault) => problemAt(file, document, fault)));
  const parts = { client, layout, file, scope: place.scope, document, system, inputs, own };
  const results = found.map((server) => importServer(server, parts));
  return {
    kind: "read",
    file: content.file,
    companions: beside.flatMap(({ read }) => (read === undefined ? [] : [read])),
    servers: results.flatMap((result) => (result.kind === "server" ? [result.server] : [])),
    problems: results.flatMap((result) => (result.kind === "wrong" ? result.problems : [])),
  };
}

interface CompanionContent {
  readonly value: unknown;
  readonly read?: FileRead;
}

/** One that is named without `*` keeps its place in the order even when there is nothing to read. */
async function readCompanions(companions: readonly Companion[], system: System): Promise<CompanionContent[]> {
  const read = await Promise.all(
    companions.map(async (companion) => {
      const paths = expandPattern(companion.path, system);
      return await Promise.all(paths.map((path) => readCompanion({ ...companion, path })));
    }),
  );
  return read.flat();
}

async function readCompanion(companion: Companion): Promise<CompanionContent> {
  const content = await readWholeFile(companion.path);
  if (content.kind !== "text") return { value: undefined };
  const parsed = await parseSection(content.text, companion);
  return { value: parsed.kind === "document" ? parsed.document.value : undefined, read: content.file };
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
