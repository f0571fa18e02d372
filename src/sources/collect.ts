// Comes in: the configuration's own servers and the sources it names; goes out: one list of servers with unique names
// and a report of what was left out or renamed. Refuses to know how a server is spoken to and what its tools may do.
import { sep } from "node:path";
import { DiscoveryError } from "../errors.js";
import type { ServerDefinition } from "../model/server.js";
import { describeProblem, type Problem } from "../util/document/problem.js";
import { absolutePath } from "../util/home-path.js";
import { type Candidate, toCandidate } from "./candidate.js";
import { compileServer, envFileOf } from "./compile.js";
import { withEnvFile } from "./env-file.js";
import type { FileRead } from "./files.js";
import type { OwnProgram } from "./itself.js";
import { mergeServers } from "./merge.js";
import { CLIENT_IDS, type ServerEntry, type SourceEntry } from "./options.js";
import { readCustomFile } from "./read.js";
import { clientFiles, readClientFile, type ClientFile } from "./read-client.js";
import type { System } from "./system.js";
import { type FilterRule, toToolRules } from "./tool-rules.js";

export interface CollectParts {
  readonly servers: readonly ServerEntry[];
  readonly sources: readonly SourceEntry[];
  /** The folder that relative paths start from: the configuration file's. */
  readonly baseDir: string;
  readonly home: string;
  /** Where the files of other programs are looked for when a source has no path. */
  readonly system?: System;
  /** Nobody asked for these sources: those that are not there need no mention. */
  readonly isImplicit?: boolean;
  /** The configuration file, for messages. */
  readonly file?: string;
  /** Resolves `${VAR}` in the sources' paths. */
  readonly resolve?: (text: string) => string;
  readonly own?: OwnProgram;
  /** Asked for each file that came with the project, before anything of it is used. Without it none is used. */
  readonly isTrusted?: (file: FileRead) => boolean | Promise<boolean>;
}

/** What came of one source, for people. */
export interface SourceReport {
  readonly type: SourceEntry["type"];
  readonly path: string;
  readonly status: "ok" | "missing" | "broken" | "untrusted";
  readonly servers: number;
  readonly message?: string;
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
  /** Every file that has a say or would have one, were it there: in case one of them changes. */
  readonly files: readonly string[];
}

/** With no configuration at all: the servers of every program on this machine. */
export const ALL_CLIENTS: readonly SourceEntry[] = CLIENT_IDS.map((type) => ({ type }));

export async function collectServers(parts: CollectParts): Promise<Collected> {
  const places = { home: parts.home, baseDir: parts.baseDir, origin: parts.file ?? "inline" };
  const own = parts.servers
    .filter(({ enabled }) => enabled)
    .map((entry): Candidate => ({ definition: compileServer(entry, places), ...envFileOf(entry, places) }));
  const read = (await Promise.all(parts.sources.map((source) => readOne(source, parts)))).flat();
  const told = read.filter(({ isQuiet }) => isQuiet !== true);
  const merged = mergeServers([own, ...read.map(({ servers }) => servers)], parts.own);
  const complete = await Promise.all(merged.servers.map(({ definition, envFile }) => withEnvFile(definition, envFile)));
  return {
    servers: complete.map(({ definition }) => definition),
    sources: told.map(({ report }) => report),
    problems: [
      ...read.flatMap(({ problems }) => problems),
      ...complete.flatMap(({ problem }) => (problem === undefined ? [] : [problem])),
    ],
    notices: [...told.flatMap(({ report }) => noticeOf(report)), ...merged.notices],
    toolRules: merged.servers.flatMap(({ definition, tools }) =>
      tools === undefined ? [] : toToolRules(definition.name, tools),
    ),
    files: [...new Set([...read.flatMap(({ files }) => files), ...merged.servers.flatMap(envFilePath)])],
  };
}

interface ReadSource {
  readonly servers: readonly Candidate[];
  readonly problems: readonly Problem[];
  readonly report: SourceReport;
  /** Files that were read or would have been, had they been there. */
  readonly files: readonly string[];
  /** There is nothing to tell: the file is not there and need not be. */
  readonly isQuiet?: boolean;
}

async function readOne(source: SourceEntry, parts: CollectParts): Promise<ReadSource[]> {
  const { type, path } = source;
  const system = parts.system ?? systemOf(parts);
  if (path === undefined) return type === "custom" ? [] : await readPlaces(type, { ...parts, system });
  const file = sourceFile(path, parts);
  if (typeof file !== "string") return [failed({ type, path }, [file], file.reason)];
  if (type === "custom") return [await readCustom(file, path, parts.home)];
  // A path that the person wrote down is the person's, wherever it leads.
  return [await readPlace({ client: type, scope: "user", path: file }, { ...parts, system, shown: path })];
}

type PlaceParts = CollectParts & { readonly system: System; readonly shown?: string };

/** The files that the program itself reads. Those that are not there need no mention while one is. */
async function readPlaces(client: ClientFile["client"], parts: PlaceParts): Promise<ReadSource[]> {
  const places = await clientFiles(parts.system, [client]);
  const read = await Promise.all(places.map((place) => readPlace(place, parts)));
  const isFound = read.some(({ report }) => report.status !== "missing");
  const mentioned = isFound || parts.isImplicit === true ? undefined : read[0];
  return read.map((one) => ({ ...one, isQuiet: one.report.status === "missing" && one !== mentioned }));
}

async function readPlace(place: ClientFile, parts: PlaceParts): Promise<ReadSource> {
  const source = { type: place.client, path: parts.shown ?? place.path };
  const content = await readClientFile(place, { system: parts.system, own: parts.own });
  if (content.kind === "missing") return missing(source, place.path);
  if (content.kind === "broken") return { ...failed(source, content.problems), files: [place.path] };
  const files = [content.file, ...content.companions].map(({ path }) => path);
  if (place.scope === "project" && (await parts.isTrusted?.(content.file)) !== true) {
    const message = "came with the project and is not trusted";
    return { servers: [], problems: [], report: { ...source, status: "untrusted", servers: 0, message }, files };
  }
  const usable = content.servers.filter(({ disabled, isGateway }) => disabled === undefined && !isGateway);
  return {
    servers: content.servers.map(toCandidate),
    problems: content.problems,
    report: succeeded(source, usable.length, content.problems),
    files,
  };
}

async function readCustom(file: string, path: string, home: string): Promise<ReadSource> {
  const source = { type: "custom", path } as const;
  const content = await readCustomFile(file, home);
  if (content.kind === "missing") return missing(source, file);
  if (content.kind === "broken") return { ...failed(source, content.problems), files: [file] };
  const { servers, problems } = content;
  return { servers, problems, report: succeeded(source, servers.length, problems), files: [file] };
}

type SourceName = Pick<SourceReport, "type" | "path">;

function missing(source: SourceName, file: string): ReadSource {
  const report = { ...source, status: "missing", servers: 0, message: "not found" } as const;
  return { servers: [], problems: [], report, files: [file] };
}

function failed(source: SourceName, problems: readonly Problem[], reason?: string): ReadSource {
  const message = reason ?? problems.map(describeProblem).join("; ");
  return { servers: [], problems, report: { ...source, status: "broken", servers: 0, message }, files: [] };
}

function succeeded(source: SourceName, servers: number, problems: readonly Problem[]): SourceReport {
  const message = problems.length === 0 ? {} : { message: problems.map(describeProblem).join("; ") };
  return { ...source, status: "ok", servers, ...message };
}

function sourceFile(path: string, { resolve, home, baseDir }: CollectParts): string | Problem {
  try {
    return absolutePath(resolve === undefined ? path : resolve(path), { home, baseDir });
  } catch (error) {
    if (!(error instanceof DiscoveryError)) throw error;
    return { file: path, path: "", reason: error.message };
  }
}

function systemOf({ home, baseDir }: CollectParts): System {
  return { platform: sep === "\\" ? "win32" : "linux", home, cwd: baseDir, env: {} };
}

function envFilePath({ envFile }: Candidate): string[] {
  return envFile === undefined ? [] : [envFile];
}

function noticeOf({ status, type, path }: SourceReport): string[] {
  if (status === "missing") return [`The source ${type} was not found at ${path}.`];
  if (status !== "untrusted") return [];
  return [`${path} came with this project and is not used until it is trusted.`];
}
