// Comes in: the configuration's own servers and the sources it names; goes out: one list of servers with unique names
// and a report of what was left out or renamed. Refuses to know how a server is spoken to and what its tools may do.
import { sep } from "node:path";
import { DiscoveryError } from "../errors.js";
import type { ServerDefinition } from "../model/server.js";
import { describeProblem, type Problem } from "../util/document/problem.js";
import { absolutePath } from "../util/home-path.js";
import { isProjectFile } from "../util/inside.js";
import { type Candidate, toCandidate } from "./candidate.js";
import { compileServer, envFileOf, inFolder } from "./compile.js";
import { effectOf, isUsed, toUntrusted, type UntrustedFile } from "./effects.js";
import { withEnvFile } from "./env-file.js";
import type { FileRead } from "./files.js";
import type { ServerOrigin } from "./imported.js";
import type { OwnProgram } from "./itself.js";
import { identity, mergeServers } from "./merge.js";
import { CLIENT_IDS, isSwitch, type ServerEntry, type SourceEntry } from "./options.js";
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
  /** The folder that relative paths start from: the configuration file's. */
  readonly baseDir: string;
  readonly home: string;
  /** Where the configuration's servers start, and those of the files that it names, unless they say so themselves. */
  readonly folder?: string;
  /** Where the servers of other programs start that are for all projects. Default: the home folder. */
  readonly ownFolder?: string;
  /** The configuration came with the project: what it names there was not trusted with it. */
  readonly isProjects?: boolean;
  /** Whoever wrote the configuration answers for the variables in the files of the working folder. */
  readonly trustsFolder?: boolean;
  /** Where the files of other programs are looked for when a source has no path. */
  readonly system?: System;
  /** Nobody asked for these sources: those that are not there need no mention. */
  readonly isImplicit?: boolean;
  /** The configuration file, for messages. */
  readonly file?: string;
  /** Resolves `${VAR}` in the sources' paths. */
  readonly resolve?: (text: string) => string;
  readonly own?: OwnProgram;
  /**
   * Asked for each file that came with the project, before anything of it is used, and for the project's folder, which has
   * no bytes. Without it none is used.
   */
  readonly isTrusted?: (file: FileRead) => boolean | Promise<boolean>;
  /** What was collected before: a file that cannot be read now counts as it was then. */
  readonly previous?: Collected | undefined;
}

export interface Collected {
  readonly servers: readonly ServerDefinition[];
  readonly sources: readonly SourceReport[];
  /** What is wrong in a source: that source, or that entry of it, was left out. */
  readonly problems: readonly Problem[];
  /** What a person should know though nothing is wrong: files not there, servers renamed or skipped. */
  readonly notices: readonly string[];
  /** What other programs hide of the servers that were taken from them; weaker than the configuration's own rules. */
  readonly toolRules: readonly FilterRule[];
  /** Programs that nobody asked for and that have no file here: the first place of each. */
  readonly absent: readonly SourceReport[];
  /** Where the servers of other programs were written, by their names here. */
  readonly origins: ReadonlyMap<string, ServerOrigin>;
  /** Files of other programs that came with the project and that nobody has trusted. */
  readonly untrusted: readonly UntrustedFile[];
  /** What each file gave, in case it cannot be read the next time. */
  readonly given: ReadonlyMap<string, readonly Candidate[]>;
  /** Every file that has a say or would have one, were it there: in case one of them changes. */
  readonly files: readonly string[];
}

/** With no configuration at all: the servers of every program on this machine. */
export const ALL_CLIENTS: readonly SourceEntry[] = CLIENT_IDS.map((type) => ({ type }));

const NO_CONTENT = { hash: "", bytes: new Uint8Array() };

/** What a configuration that is switched off amounts to. */
export const NO_SERVERS: Collected = {
  servers: [],
  sources: [],
  problems: [],
  notices: [],
  toolRules: [],
  absent: [],
  origins: new Map(),
  untrusted: [],
  given: new Map(),
  files: [],
};

export async function collectServers(parts: CollectParts): Promise<Collected> {
  const system = parts.system ?? systemOf(parts);
  const places = { home: parts.home, baseDir: parts.baseDir, origin: parts.file ?? "inline" };
  const switchedOff = switchedOffNames(parts.servers);
  // What is switched off takes its name and its duplicates with it.
  const own = parts.servers
    .filter((entry) => !isSwitch(entry) && (entry.enabled || switchedOff.has(identity(entry.name))))
    .map(
      (entry): Candidate => ({
        definition: { ...compileServer(entry, places), ...(parts.isProjects === true ? {} : { isOwn: true }) },
        ...envFileOf(entry, places),
      }),
    );
  const sources = await Promise.all(parts.sources.map((source) => readOne(source, { ...parts, system })));
  const read = await Promise.all(sources.flat().map((source) => withoutBound(source, parts)));
  const groups = [startingIn(parts.folder, own), ...read.map(({ servers }) => servers)];
  const merged = mergeServers(groups, parts.own, switchedOff);
  const isTrusted = async (file: FileRead): Promise<boolean> =>
    parts.trustsFolder === true || (await parts.isTrusted?.(file)) === true;
  const complete = await Promise.all(
    merged.servers.map((server) => withEnvFile(server, { cwd: system.cwd, home: parts.home, isTrusted })),
  );
  const told = read
    .filter(({ mention }) => mention === undefined)
    .map(({ report, servers }) => settledReport(report, servers, merged.outcomes));
  return {
    servers: complete.map(({ definition }, index) => inFolder(definition, merged.servers[index]?.folder)),
    sources: told,
    problems: [
      ...read.flatMap(({ problems }) => problems),
      ...complete.flatMap(({ problem }) => (problem === undefined ? [] : [problem])),
    ],
    notices: [...told.flatMap(noticeOf), ...merged.notices, ...complete.flatMap(({ notice }) => notice ?? [])],
    toolRules: merged.servers.flatMap(({ definition, tools }) =>
      tools === undefined ? [] : toToolRules(definition.name, tools),
    ),
    absent: read.flatMap(({ mention, report }) => (mention === "absent" ? [report] : [])),
    origins: new Map(
      merged.servers.flatMap(({ definition, imported }) =>
        imported === undefined ? [] : [[definition.name, imported.origin]],
      ),
    ),
    untrusted: joined([...read, ...complete].flatMap(({ untrusted }) => untrusted ?? [])),
    given: new Map(read.flatMap(({ files: [file], servers }) => (file === undefined ? [] : [[file, servers]]))),
    files: [...new Set([...read.flatMap(({ files }) => files), ...merged.servers.flatMap(envFilePath)])],
  };
}

interface ReadSource {
  readonly servers: readonly Candidate[];
  readonly problems: readonly Problem[];
  readonly report: SourceReport;
  readonly untrusted?: UntrustedFile;
  /** Files that were read or would have been, had they been there. */
  readonly files: readonly string[];
  /** There is no file and there need not be one. `absent`: the program has none at all. */
  readonly mention?: "none" | "absent";
}

async function readOne(source: SourceEntry, parts: PlaceParts): Promise<ReadSource[]> {
  const { type, path } = source;
  if (path === undefined) return type === "custom" ? [] : await readPlaces(type, parts);
  const file = sourceFile(path, parts);
  if (typeof file !== "string") {
    return [{ servers: [], problems: [file], report: brokenReport({ type, path }, file.reason), files: [] }];
  }
  const scope = isProjects({ file, path }, parts) ? "project" : "user";
  if (type === "custom") return [await readCustom({ file, path, scope }, parts)];
  return [await readPlace({ client: type, scope, path: file }, { ...parts, shown: path })];
}

/** A path that the person wrote down is the person's, wherever it leads; not so one that depends on where they are. */
function isProjects({ file, path }: { file: string; path: string }, parts: PlaceParts): boolean {
  const isChosen = parts.trustsFolder === true || !path.includes("${");
  if (parts.isProjects !== true && isChosen) return false;
  return isProjectFile(file, { cwd: parts.system.cwd, home: parts.home });
}

type PlaceParts = CollectParts & { readonly system: System; readonly shown?: string };

/** The files that the program itself reads. Those that are not there need no mention while one is. */
async function readPlaces(client: ClientFile["client"], parts: PlaceParts): Promise<ReadSource[]> {
  const places = clientFiles(parts.system, [client]);
  const read = await Promise.all(places.map((place) => readPlace(place, parts)));
  const folders = clientFolders(parts.system, [client]);
  const isFound = read.some(({ report }) => report.status !== "missing");
  return read.map((one, index) => {
    const files = index === 0 ? [...one.files, ...folders] : one.files;
    if (one.report.status !== "missing") return { ...one, files };
    if (isFound || index > 0) return { ...one, files, mention: "none" };
    return parts.isImplicit === true ? { ...one, files, mention: "absent" } : { ...one, files };
  });
}

async function readPlace(place: ClientFile, parts: PlaceParts): Promise<ReadSource> {
  const source = { type: place.client, path: parts.shown ?? place.path };
  const content = await readClientFile(place, { system: parts.system, own: parts.own });
  if (content.kind === "missing") return missing(source, place.path);
  if (content.kind === "broken") return broken(source, { ...content, file: place.path }, parts.previous);
  const { problems } = content;
  const folder = startFolder(place, parts);
  const servers = startingIn(folder, content.servers.map(toCandidate));
  const files = [content.file, ...content.companions].map(({ path }) => path);
  const untrusted = place.scope === "project" ? await barred(content.file, servers, parts) : undefined;
  if (untrusted !== undefined) return { servers: [], problems: [], report: untrustedReport(source), untrusted, files };
  return { servers, problems, report: readReport(source, problems), files };
}

function startFolder(
  { scope }: ClientFile,
  { system, shown, folder, ownFolder, home }: PlaceParts,
): string | undefined {
  if (scope === "project") return system.cwd;
  return shown === undefined ? (ownFolder ?? home) : folder;
}

interface CustomSource {
  readonly file: string;
  readonly path: string;
  readonly scope: "user" | "project";
}

async function readCustom({ file, path, scope }: CustomSource, parts: PlaceParts): Promise<ReadSource> {
  const source = { type: "custom", path } as const;
  const content = await readCustomFile(file, parts.home);
  if (content.kind === "missing") return missing(source, file);
  if (content.kind === "broken") return broken(source, { ...content, file }, parts.previous);
  const { problems } = content;
  const servers = startingIn(parts.folder, content.servers);
  const untrusted = scope === "project" ? await barred(content.file, servers, parts) : undefined;
  if (untrusted !== undefined) {
    return { servers: [], problems: [], report: untrustedReport(source), untrusted, files: [file] };
  }
  return { servers, problems, report: readReport(source, problems), files: [file] };
}

/** The project's file unless it is trusted. One that would do nothing needs nobody's trust. */
async function barred(
  file: FileRead,
  servers: readonly Candidate[],
  { isTrusted }: CollectParts,
): Promise<UntrustedFile | undefined> {
  const untrusted = toUntrusted(file, servers);
  return untrusted.effects.length === 0 || (await isTrusted?.(file)) === true ? undefined : untrusted;
}

/** The person's own servers that run or read what lies in the project's folder wait until the folder is trusted. */
async function withoutBound(source: ReadSource, { isTrusted }: CollectParts): Promise<ReadSource> {
  const bound = source.servers.filter(({ imported }) => imported?.workspace !== undefined && isUsed(imported));
  const path = bound[0]?.imported?.workspace;
  if (path === undefined || (await isTrusted?.({ path, ...NO_CONTENT })) === true) return source;
  const names = bound.map(({ definition }) => definition.name).join(", ");
  return {
    ...source,
    servers: source.servers.filter((server) => !bound.includes(server)),
    report: {
      ...source.report,
      message: [source.report.message, `${names} would use files of ${path}, which is not trusted`]
        .filter(Boolean)
        .join("; "),
    },
    untrusted: { file: path, content: NO_CONTENT.bytes, effects: bound.map(effectOf) },
  };
}

function missing(source: SourceName, file: string): ReadSource {
  return { servers: [], problems: [], report: missingReport(source), files: [file] };
}

/** Whoever saves a file may leave half of it for a moment: the servers of the last good one stay. */
function broken(
  source: SourceName,
  { file, problems }: { readonly file: string; readonly problems: readonly Problem[] },
  previous: Collected | undefined,
): ReadSource {
  const servers = previous?.given.get(file) ?? [];
  const kept = servers.length === 0 ? "" : "; what it held before is in use";
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

function startingIn(folder: string | undefined, servers: readonly Candidate[]): readonly Candidate[] {
  return folder === undefined ? servers : servers.map((server) => ({ ...server, folder }));
}

/** One place that several servers wait for is one question. */
function joined(files: readonly UntrustedFile[]): UntrustedFile[] {
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

function envFilePath({ envFile }: Candidate): string[] {
  return envFile === undefined ? [] : [envFile];
}

function noticeOf({ status, type, path }: SourceReport): string[] {
  return status === "missing" ? [`The source ${type} was not found at ${path}.`] : [];
}
