// Comes in: the configuration's own servers and the files it names; goes out: one list of servers with unique names
// and a report of what was left out or renamed. Refuses to know how a server is spoken to and what its tools may do.
import { DiscoveryError } from "../errors.js";
import type { ServerDefinition } from "../model/server.js";
import { describeProblem, type Problem } from "../util/document/problem.js";
import { absolutePath } from "../util/home-path.js";
import { compileServer } from "./compile.js";
import { mergeServers } from "./merge.js";
import type { ServerEntry, SourceEntry } from "./options.js";
import { readSource } from "./read.js";

export interface CollectParts {
  readonly servers: readonly ServerEntry[];
  readonly sources: readonly SourceEntry[];
  /** The folder that relative paths start from: the configuration file's. */
  readonly baseDir: string;
  readonly home: string;
  /** The configuration file, for messages. */
  readonly file?: string;
  /** Resolves `${VAR}` in the sources' paths. */
  readonly resolve?: (text: string) => string;
}

/** What came of one source, for people. */
export interface SourceReport {
  readonly type: SourceEntry["type"];
  readonly path: string;
  readonly status: "ok" | "missing" | "broken";
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
}

export async function collectServers(parts: CollectParts): Promise<Collected> {
  const places = { home: parts.home, baseDir: parts.baseDir, origin: parts.file ?? "inline" };
  const own = parts.servers.filter(({ enabled }) => enabled).map((entry) => compileServer(entry, places));
  const read = await Promise.all(parts.sources.map((source) => readOne(source, parts)));
  const merged = mergeServers([own, ...read.map(({ servers }) => servers)]);
  return {
    servers: merged.servers,
    sources: read.map(({ report }) => report),
    problems: read.flatMap(({ problems }) => problems),
    notices: [...read.flatMap(({ report }) => missingNotice(report)), ...merged.notices],
  };
}

interface ReadSource {
  readonly servers: readonly ServerDefinition[];
  readonly problems: readonly Problem[];
  readonly report: SourceReport;
}

async function readOne(source: SourceEntry, parts: CollectParts): Promise<ReadSource> {
  const { type, path } = source;
  const file = sourceFile(path, parts);
  if (typeof file !== "string") {
    return {
      servers: [],
      problems: [file],
      report: { type, path, status: "broken", servers: 0, message: file.reason },
    };
  }
  const content = await readSource(type, file, parts.home);
  switch (content.kind) {
    case "missing":
      return { servers: [], problems: [], report: { type, path, status: "missing", servers: 0, message: "not found" } };
    case "broken": {
      const message = content.problems.map(describeProblem).join("; ");
      return { servers: [], problems: content.problems, report: { type, path, status: "broken", servers: 0, message } };
    }
    case "read": {
      const { servers, problems } = content;
      const message = problems.length === 0 ? {} : { message: problems.map(describeProblem).join("; ") };
      return { servers, problems, report: { type, path, status: "ok", servers: servers.length, ...message } };
    }
  }
}

function sourceFile(path: string, { resolve, home, baseDir }: CollectParts): string | Problem {
  try {
    return absolutePath(resolve === undefined ? path : resolve(path), { home, baseDir });
  } catch (error) {
    if (!(error instanceof DiscoveryError)) throw error;
    return { file: path, path: "", reason: error.message };
  }
}

function missingNotice({ status, type, path }: SourceReport): string[] {
  return status === "missing" ? [`The source ${type} was not found at ${path}.`] : [];
}
