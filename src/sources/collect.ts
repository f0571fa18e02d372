// Combines the servers of the configuration and of its sources into one list with unique names, and reports the servers
// that were skipped or renamed. This module does not connect to servers and does not check permissions.
import { sep } from "node:path";
import { DiscoveryError } from "../errors.js";
import type { ServerDefinition } from "../model/server.js";
import { describeProblem, type Problem } from "../util/document/problem.js";
import { absolutePath } from "../util/home-path.js";
import { isProjectFile } from "../util/inside.js";
import { type ServerCandidate, toCandidate } from "./candidate.js";
import { compileServer, envFileOf, inFolder } from "./compile.js";
import { effectOf, isUsed, toUntrusted, type UntrustedFile } from "./effects.js";
import { withEnvFile } from "./env-file.js";
import type { FileRead } from "./files.js";
import type { ServerOrigin } from "./imported.js";
import type { OwnProgram } from "./itself.js";
import { identity, mergeServers } from "./merge.js";
import { CLIENT_IDS, isDisablingEntry, type ServerEntry, type SourceEntry } from "./options.js";
import { readCustomFile } from "./read.js";
import { clientFiles, clientFolders, readClientFile, type ClientFile } from "./read-client.js";
import {
  brokenReport,
  missingReport,
  readReport,
  settledReport,
  type SourceName,
  type SourceReport,
  untrustedReport,
} from "./report.js";
import { switchedOffNames } from "./switched-off.js";
import type { System } from "./system.js";
import { type FilterRule, toToolRules } from "./tool-rules.js";

export interface CollectParts {
  readonly servers: readonly ServerEntry[];
  readonly sources: readonly SourceEntry[];
  /** The folder of the configuration file; relative paths start here. */
  readonly baseDir: string;
  readonly home: string;
  /**
   * The default working folder for servers in the configuration and in the files whose paths the configuration sets.
   */
  readonly folder?: string;
  /**
   * The default working folder for other programs' servers that are not bound to a project. Default: the home folder.
   */
  readonly ownFolder?: string;
  /**
   * Whether the configuration file is in the project folder. If so, trust in the configuration file does not extend to
   * the project files that it names.
   */
  readonly isProjectConfig?: boolean;
  /**
   * Whether env files in the working folder, and source files whose path depends on a variable, are trusted without
   * asking.
   */
  readonly trustsFolder?: boolean;
  /** The machine and project in which to look for other programs' files if a source has no path. */
  readonly system?: System;
  /** Whether the sources are the default ones instead of configured ones. If so, missing files are not reported. */
  readonly isImplicit?: boolean;
  /** The path of the configuration file, for messages. */
  readonly file?: string;
  /** Resolves `${VAR}` in the sources' paths. */
  readonly resolve?: (text: string) => string;
  readonly own?: OwnProgram;
  /**
   * Called for each project file before the file is used, and for the project folder itself (with empty content).
   * Without this function no project file is used.
   */
  readonly isTrusted?: (file: FileRead) => boolean | Promise<boolean>;
  /** The previous result: if a file cannot be read now, its previous servers are used. */
  readonly previous?: Collected | undefined;
}

export interface Collected {
  readonly servers: readonly ServerDefinition[];
  readonly sources: readonly SourceReport[];
  /** Errors in sources. A source or entry with an error is skipped. */
  readonly problems: readonly Problem[];
  /** Information that is not an error: missing files, renamed and skipped servers. */
  readonly notices: readonly string[];
  /**
   * Rules that apply the tool filters of other programs to the imported servers; the configuration's own rules take
   * precedence.
   */
  readonly toolRules: readonly FilterRule[];
  /** Default sources that have no file on this machine, each with the first path at which it was searched. */
  readonly absent: readonly SourceReport[];
  /** The file and path from which each server was imported, by the server's name in this gateway. */
  readonly origins: ReadonlyMap<string, ServerOrigin>;
  /** Files of other programs that are in the project folder and are not trusted. */
  readonly untrusted: readonly UntrustedFile[];
  /** The servers of each file; they stay in use if the file cannot be read the next time. */
  readonly serversByFile: ReadonlyMap<string, readonly ServerCandidate[]>;
  /** Every file that affects the result, or would if it existed: the files to watch. */
  readonly files: readonly string[];
}

/** The sources that are used if there is no configuration: all supported programs. */
export const ALL_CLIENTS: readonly SourceEntry[] = CLIENT_IDS.map((type) => ({ type }));

const NO_CONTENT = { hash: "", bytes: new Uint8Array() };

/** The result if the configuration is disabled. */
export const NO_SERVERS: Collected = {
  servers: [],
  sources: [],
  problems: [],
  notices: [],
  toolRules: [],
  absent: [],
  origins: new Map(),
  untrusted: [],
  serversByFile: new Map(),
  files: [],
};

export async function collectServers(parts: CollectParts): Promise<Collected> {
  const system = parts.system ?? systemOf(parts);
  const paths = { home: parts.home, baseDir: parts.baseDir, origin: parts.file ?? "inline" };
  const switchedOff = switchedOffNames(parts.servers);
  // A disabled server with a connection is kept until the merge, so that its duplicates are removed as well.
  const own = parts.servers
    .filter((entry) => !isDisablingEntry(entry) && (entry.enabled || switchedOff.has(identity(entry.name))))
    .map(
      (entry): ServerCandidate => ({
        definition: { ...compileServer(entry, paths), ...(parts.isProjectConfig === true ? {} : { isOwn: true }) },
        ...envFileOf(entry, paths),
      }),
    );
  const sources = await Promise.all(parts.sources.map((source) => readOne(source, { ...parts, system })));
  const read = await Promise.all(sources.flat().map((source) => withoutUntrustedFolder(source, parts)));
  const groups = [startingIn(parts.folder, own), ...read.map(({ servers }) => servers)];
  const merged = mergeServers(groups, parts.own, switchedOff);
  const isTrusted = async (file: FileRead): Promise<boolean> =>
    parts.trustsFolder === true || (await parts.isTrusted?.(file)) === true;
  const complete = await Promise.all(
    merged.servers.map((server) => withEnvFile(server, { cwd: system.cwd, home: parts.home, isTrusted })),
  );
  const reports = read
    .filter(({ omission }) => omission === undefined)
    .map(({ report, servers }) => settledReport(report, servers, merged.outcomes));
  return {
    servers: complete.map(({ definition }, index) => inFolder(definition, merged.servers[index]?.folder)),
    sources: reports,
    problems: [
      ...read.flatMap(({ problems }) => problems),
      ...complete.flatMap(({ problem }) => (problem === undefined ? [] : [problem])),
    ],
    // Several servers may share one env file: report each notice once.
    notices: [
      ...reports.flatMap(noticeOf),
      ...merged.notices,
      ...new Set(complete.flatMap(({ notices = [] }) => notices)),
    ],
    toolRules: merged.servers.flatMap(({ definition, tools }) =>
      tools === undefined ? [] : toToolRules(definition.name, tools),
    ),
    absent: read.flatMap(({ omission, report }) => (omission === "absent" ? [report] : [])),
    origins: new Map(
      merged.servers.flatMap(({ definition, imported }) =>
        imported === undefined ? [] : [[definition.name, imported.origin]],
      ),
    ),
    untrusted: mergeByFile([...read, ...complete].flatMap(({ untrusted }) => untrusted ?? [])),
    serversByFile: new Map(read.flatMap(({ files: [file], servers }) => (file === undefined ? [] : [[file, servers]]))),
    files: [...new Set([...read.flatMap(({ files }) => files), ...merged.servers.flatMap(envFilePath)])],
  };
}

interface ReadSource {
  readonly servers: readonly ServerCandidate[];
  readonly problems: readonly Problem[];
  readonly report: SourceReport;
  readonly untrusted?: UntrustedFile;
  /** Files that were read, or would be read if they existed. */
  readonly files: readonly string[];
  /**
   * Set for a missing file that is not reported as missing. `none`: it is not reported at all, because another path of
   * the program is. `absent`: it is listed in `Collected.absent`, because the program has no file at all.
   */
  readonly omission?: "none" | "absent";
}

async function readOne(source: SourceEntry, parts: LocationParts): Promise<ReadSource[]> {
  const { type, path } = source;
  if (path === undefined) return type === "custom" ? [] : await readLocations(type, parts);
  const file = sourceFile(path, parts);
  if (typeof file !== "string") {
    return [{ servers: [], problems: [file], report: brokenReport({ type, path }, file.reason), files: [] }];
  }
  const scope = isInProject({ file, path }, parts) ? "project" : "user";
  if (type === "custom") return [await readCustom({ file, path, scope }, parts)];
  return [await readLocation({ client: type, scope, path: file }, { ...parts, shown: path })];
}

/**
 * Whether a source file counts as a project file, which needs trust. A fixed path in the user's configuration is
 * trusted, wherever it is; a path that depends on a variable is not.
 */
function isInProject({ file, path }: { file: string; path: string }, parts: LocationParts): boolean {
  const isChosen = parts.trustsFolder === true || !path.includes("${");
  if (parts.isProjectConfig !== true && isChosen) return false;
  return isProjectFile(file, { cwd: parts.system.cwd, home: parts.home });
}

type LocationParts = CollectParts & { readonly system: System; readonly shown?: string };

/** Reads all files of a program. If none exists, only the first path is reported as missing; otherwise none is. */
async function readLocations(client: ClientFile["client"], parts: LocationParts): Promise<ReadSource[]> {
  const found = clientFiles(parts.system, [client]);
  const read = await Promise.all(found.map((file) => readLocation(file, parts)));
  const folders = clientFolders(parts.system, [client]);
  const isFound = read.some(({ report }) => report.status !== "missing");
  return read.map((one, index) => {
    const files = index === 0 ? [...one.files, ...folders] : one.files;
    if (one.report.status !== "missing") return { ...one, files };
    if (isFound || index > 0) return { ...one, files, omission: "none" };
    return parts.isImplicit === true ? { ...one, files, omission: "absent" } : { ...one, files };
  });
}

async function readLocation(location: ClientFile, parts: LocationParts): Promise<ReadSource> {
  const source = { type: location.client, path: parts.shown ?? location.path };
  const content = await readClientFile(location, { system: parts.system, own: parts.own });
  if (content.kind === "missing") return missing(source, location.path);
  if (content.kind === "broken") return broken(source, { ...content, file: location.path }, parts.previous);
  const { problems } = content;
  const folder = startFolder(location, parts);
  const servers = startingIn(folder, content.servers.map(toCandidate));
  const files = [content.file, ...content.companions].map(({ path }) => path);
  const untrusted = location.scope === "project" ? await untrustedFileOf(content.file, servers, parts) : undefined;
  if (untrusted !== undefined) return { servers: [], problems: [], report: untrustedReport(source), untrusted, files };
  return { servers, problems, report: readReport(source, problems), files };
}

function startFolder(
  { scope }: ClientFile,
  { system, shown, folder, ownFolder, home }: LocationParts,
): string | undefined {
  if (scope === "project") return system.cwd;
  return shown === undefined ? (ownFolder ?? home) : folder;
}

interface CustomSource {
  readonly file: string;
  readonly path: string;
  readonly scope: "user" | "project";
}

async function readCustom({ file, path, scope }: CustomSource, parts: LocationParts): Promise<ReadSource> {
  const source = { type: "custom", path } as const;
  const content = await readCustomFile(file, parts.home);
  if (content.kind === "missing") return missing(source, file);
  if (content.kind === "broken") return broken(source, { ...content, file }, parts.previous);
  const { problems } = content;
  const servers = startingIn(parts.folder, content.servers);
  const untrusted = scope === "project" ? await untrustedFileOf(content.file, servers, parts) : undefined;
  if (untrusted !== undefined) {
    return { servers: [], problems: [], report: untrustedReport(source), untrusted, files: [file] };
  }
  return { servers, problems, report: readReport(source, problems), files: [file] };
}

/** Returns the project file if it is not trusted. A file without effects needs no trust. */
async function untrustedFileOf(
  file: FileRead,
  servers: readonly ServerCandidate[],
  { isTrusted }: CollectParts,
): Promise<UntrustedFile | undefined> {
  const untrusted = toUntrusted(file, servers);
  return untrusted.effects.length === 0 || (await isTrusted?.(file)) === true ? undefined : untrusted;
}

/** If the project folder is not trusted, removes the user's servers that run or read files in it. */
async function withoutUntrustedFolder(source: ReadSource, { isTrusted }: CollectParts): Promise<ReadSource> {
  const bound = source.servers.filter(({ imported }) => imported?.workspace !== undefined && isUsed(imported));
  const path = bound[0]?.imported?.workspace;
  if (path === undefined || (await isTrusted?.({ path, ...NO_CONTENT })) === true) return source;
  const names = bound.map(({ definition }) => definition.name).join(", ");
  return {
    ...source,
    servers: source.servers.filter((server) => !bound.includes(server)),
    report: {
      ...source.report,
      message: [source.report.message, `${names} would use files in ${path}, which is not trusted`]
        .filter(Boolean)
        .join("; "),
    },
    untrusted: { file: path, content: NO_CONTENT.bytes, effects: bound.map(effectOf) },
  };
}

function missing(source: SourceName, file: string): ReadSource {
  return { servers: [], problems: [], report: missingReport(source), files: [file] };
}

/**
 * The result for an invalid file. An editor may have saved only a part of it, so the servers of its last valid version
 * stay in use.
 */
function broken(
  source: SourceName,
  { file, problems }: { readonly file: string; readonly problems: readonly Problem[] },
  previous: Collected | undefined,
): ReadSource {
  const servers = previous?.serversByFile.get(file) ?? [];
  const kept = servers.length === 0 ? "" : "; the servers of its last valid version stay in use";
  const report = brokenReport(source, `${problems.map(describeProblem).join("; ")}${kept}`);
  return { servers, problems, report, files: [file] };
}

function sourceFile(path: string, { resolve, home, baseDir }: CollectParts): string | Problem {
  try {
    return absolutePath(resolve === undefined ? path : resolve(path), { home, baseDir });
  } catch (error) {
    if (!(error instanceof DiscoveryError)) throw error;
    return { file: path, path: "", reason: error.message };
  }
}

function startingIn(folder: string | undefined, servers: readonly ServerCandidate[]): readonly ServerCandidate[] {
  return folder === undefined ? servers : servers.map((server) => ({ ...server, folder }));
}

/** Merges entries of the same file, so that the user is asked once per file. */
function mergeByFile(files: readonly UntrustedFile[]): UntrustedFile[] {
  const byFile = new Map<string, UntrustedFile>();
  for (const one of files) {
    const effects = [...(byFile.get(one.file)?.effects ?? []), ...one.effects];
    byFile.set(one.file, { ...one, effects });
  }
  return [...byFile.values()];
}

function systemOf({ home, baseDir }: CollectParts): System {
  return { platform: sep === "\\" ? "win32" : "linux", home, cwd: baseDir, env: {} };
}

function envFilePath({ envFile }: ServerCandidate): string[] {
  return envFile === undefined ? [] : [envFile];
}

function noticeOf({ status, type, path }: SourceReport): string[] {
  return status === "missing" ? [`The source ${type} was not found: ${path} does not exist.`] : [];
}
