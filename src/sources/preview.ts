import { toCandidate } from "./candidate.js";
import type { FileRead } from "./files.js";
import type { ImportedServer } from "./imported.js";
import type { OwnProgram } from "./itself.js";
import { mergeServers, type MergeOutcome } from "./merge.js";
import { CLIENT_IDS, type ClientId } from "./options.js";
import { clientFiles, readClientFile, type ClientContent, type ClientFile } from "./read-client.js";
import type { System } from "./system.js";

export interface PreviewParts {
  readonly system: System;
  readonly clients?: readonly ClientId[];
  readonly own?: OwnProgram;
  /**
   * Called for each file in the project folder before the file is used. Without this function no project file is used.
   */
  readonly isTrusted?: (file: FileRead) => boolean | Promise<boolean>;
}

/** The result that an import would have: every existing file, and the outcome for each server in it. */
export interface Preview {
  readonly files: readonly PreviewedFile[];
  readonly servers: readonly PreviewedServer[];
}

export interface PreviewedFile {
  readonly location: ClientFile;
  readonly content: Exclude<ClientContent, { kind: "missing" }>;
  readonly isTrusted: boolean;
}

export interface PreviewedServer {
  readonly server: ImportedServer;
  readonly outcome: MergeOutcome | { readonly kind: "untrusted" };
}

export async function previewImport(parts: PreviewParts): Promise<Preview> {
  const locations = clientFiles(parts.system, parts.clients ?? CLIENT_IDS);
  const files = (await Promise.all(locations.map((location) => readLocation(location, parts)))).flat();
  const candidates = files.map(({ content, isTrusted }) =>
    content.kind === "read" && isTrusted ? content.servers.map(toCandidate) : [],
  );
  const { outcomes } = mergeServers(candidates, parts.own);
  const known = new Map([...outcomes].map(([{ imported }, outcome]) => [imported, outcome]));
  const found = files.flatMap(({ content }) => (content.kind === "read" ? content.servers : []));
  return { files, servers: found.map((server) => ({ server, outcome: known.get(server) ?? { kind: "untrusted" } })) };
}

async function readLocation(location: ClientFile, { system, own, isTrusted }: PreviewParts): Promise<PreviewedFile[]> {
  const content = await readClientFile(location, { system, own });
  if (content.kind === "missing") return [];
  if (location.scope !== "project" || content.kind === "broken") return [{ location, content, isTrusted: true }];
  return [{ location, content, isTrusted: (await isTrusted?.(content.file)) === true }];
}
