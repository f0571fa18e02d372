// Finds, reads and validates the configuration. Each component defines the schema of its section.
import { basename, dirname } from "node:path";
import { isJsonObject } from "../model/json.js";
import { deepFreeze } from "../util/deep-freeze.js";
import { parsePlain } from "../util/document/plain.js";
import { pathText, type Path, type Position, type Problem } from "../util/document/problem.js";
import type { SchemaViolation } from "../util/document/schema.js";
import type { Document } from "../util/document/tree.js";
import { absolutePath } from "../util/home-path.js";
import { isInside } from "../util/inside.js";
import { searchFromEnvironment, withEnvironment } from "./environment.js";
import { missingFile, toError } from "./failure.js";
import {
  candidateFiles,
  isOwnFile,
  isOwnFolder,
  isSharedFile,
  locateConfig,
  type LocateParts,
  type Origin,
  type SearchLocation,
} from "./locate.js";
import { checkConfig, type Config, configOptions, findBadPatternsIn, namesNoServers } from "./options.js";
import { type OpenedConfig, openConfig, parseOpened } from "./read.js";

export interface LoadParts extends LocateParts {
  /** Whether the user trusts a project file with this content. Default: every file is trusted. */
  readonly isTrusted?: (file: string, content: Uint8Array) => boolean;
  /**
   * True if another gateway started this process. A configuration file that lists no servers then does not imply
   * `sources: all`.
   */
  readonly isNested?: boolean;
  /** The time limit for running a configuration file that is a JavaScript or TypeScript program. */
  readonly programTimeoutMs?: number;
}

/**
 * `defaults`: no configuration file was found. `program`: the caller of the library passed the configuration as an
 * object. `nested`: another gateway started this process, so the gateway did not search for a configuration file.
 */
export type LoadedOrigin = Origin | "defaults" | "program" | "nested";

export interface LoadedConfig {
  readonly config: Config;
  /** The path of the configuration file. Undefined if `origin` is `defaults`, `program` or `nested`. */
  readonly file?: string;
  readonly origin: LoadedOrigin;
  /** Relative paths in the configuration are resolved against this folder. */
  readonly baseDir: string;
  /** The default working folder of the configured servers. */
  readonly startDir: string;
  readonly notices: readonly string[];
  /** The configuration defines no servers, so `config.sources` is `all`. */
  readonly isImplicit: boolean;
  /** Project files that were skipped because their current content is not trusted. */
  readonly untrusted: readonly string[];
  /** Whether the `.env` files in the working folder are trusted together with the configuration. */
  readonly trustsFolder: boolean;
  /** Files to watch: the files that were read, and files that would be used if they existed. */
  readonly watched: readonly string[];
  /** Line and column of a configuration value in the file; undefined if the position is not known. */
  readonly positionOf: (path: Path) => Position | undefined;
}

const PROGRAM_TIMEOUT_MS = 10_000;

/** Finds, reads and validates the configuration. Throws one CONFIGURATION_ERROR that lists all problems. */
export async function loadConfig(parts: LoadParts): Promise<LoadedConfig> {
  const defaults = { search: searchFromEnvironment(parts.env) };
  const untrusted: string[] = [];
  const context = { defaults, parts, untrusted };
  for (const location of await locateConfig(parts)) {
    const loaded = await loadLocation(location, context);
    if (loaded !== undefined) return { ...loaded, untrusted };
  }
  const config = parseConfig({ ...defaults, sources: "all" });
  const nothing = { ...givenConfig(deepFreeze(withEnvironment(config, parts)), parts.cwd), isImplicit: true };
  const watched = candidateFiles(parts);
  return { ...nothing, origin: "defaults", trustsFolder: isOwnFolder(parts), watched, untrusted };
}

/** Wraps a configuration object that was not read from a file. The `.env` files in the working folder are trusted. */
export function givenConfig(config: Config, cwd: string, notices: readonly string[] = []): LoadedConfig {
  return {
    config,
    origin: "program",
    baseDir: cwd,
    startDir: cwd,
    notices,
    isImplicit: false,
    untrusted: [],
    trustsFolder: true,
    watched: [],
    positionOf: () => undefined,
  };
}

export function describeUntrusted(file: string): string {
  return `${file} can start programs and its current content is not trusted, so it was skipped. Review it, then run \`anygpt mcp config trust\`.`;
}

/** Validates a configuration object. Patterns of tool rules are checked later, when they are compiled. */
export function parseConfig(value: unknown, origin?: string): Config {
  const written = readPassed(value, origin);
  const checked = checkConfig(withDefaults(written.section, {}));
  if (checked.kind === "ok") return deepFreeze(checked.value);
  throw toError(toProblems(checked.violations, written));
}

/** Validates a configuration object, including the patterns of the tool rules and of the policy. */
export async function checkGivenConfig(value: unknown): Promise<Config> {
  return await check(readPassed(value), {});
}

function readPassed(value: unknown, origin = "The configuration"): Written {
  const parsed = parsePlain(value);
  if (parsed.kind === "faults") {
    throw toError(parsed.faults.map(({ path, reason }) => ({ file: origin, path: pathText(path), reason })));
  }
  // Data that was not read from a file has no positions.
  const document: Document = { value: parsed.document.value, positionOf: () => undefined };
  return { document, section: sectionOf(document.value) ?? { value: document.value, path: [] }, file: origin };
}

interface LoadContext {
  readonly defaults: Defaults;
  readonly parts: LoadParts;
  /** Receives the paths of project files that are skipped because they are not trusted. */
  readonly untrusted: string[];
}

async function loadLocation(location: SearchLocation, context: LoadContext): Promise<LoadedConfig | undefined> {
  const { defaults, parts, untrusted } = context;
  const isExplicit = location.origin === "explicit";
  for (const [index, file] of location.files.entries()) {
    const opened = await openConfig(file);
    if (opened.kind === "problems") {
      // An untrusted project file that cannot be read must not prevent the gateway from starting in the project.
      if (location.origin === "project" && parts.isTrusted?.(file, new Uint8Array()) === false) untrusted.push(file);
      else throw toError(opened.problems);
      continue;
    }
    if (opened.kind === "missing") {
      if (isExplicit) throw missingFile(file);
      continue;
    }
    if (location.origin === "project" && parts.isTrusted?.(file, opened.content) === false) {
      if (await concernsUs(opened)) untrusted.push(file);
      continue;
    }
    const read = await parseOpened(opened, parts.programTimeoutMs ?? PROGRAM_TIMEOUT_MS);
    if (read.kind === "problems") throw toError(read.problems);
    const { document } = read;
    const section = ourSection(document, file);
    if (section === undefined && !isExplicit) continue;
    if (section === undefined)
      throw toError([problemAt(document, file, { path: ["discovery"], reason: "is missing" })]);
    const isImplicit = parts.isNested !== true && namesNoServers(section.value);
    const config = await check({ document, section, file }, isImplicit ? { ...defaults, sources: "all" } : defaults);
    const baseDir = dirname(file);
    const ignored = location.files
      .slice(index + 1)
      .map((other) => `${other} is ignored, because ${file} takes precedence.`);
    return {
      config: deepFreeze(withEnvironment(withAbsolutePaths(config, { home: parts.home, baseDir }), parts)),
      file,
      origin: location.origin,
      baseDir,
      startDir: startDir(location, file, parts),
      notices: ignored,
      isImplicit,
      untrusted: [],
      trustsFolder: (location.origin !== "user" && isInside(parts.cwd, file)) || isOwnFolder(parts),
      watched: [...candidateFiles(parts), ...opened.files.keys()],
      positionOf: (path) =>
        opened.format === "program" ? undefined : document.positionOf([...section.path, ...asWritten(path, section)]),
    };
  }
  return undefined;
}

/**
 * The default working folder of the servers. The user's own servers start in the home folder, because in the working
 * folder a package runner such as npx would prefer the project's programs to the ones that the user configured.
 */
function startDir({ origin }: SearchLocation, file: string, { home }: LoadParts): string {
  if (origin === "user") return home;
  const folder = dirname(file);
  return origin === "project" && basename(folder) === ".anygpt" ? dirname(folder) : folder;
}

/**
 * Whether the file may configure this gateway. False for a shared file without the section `discovery`. True for an
 * invalid file and for a program, because their sections are unknown.
 */
export async function concernsUs(opened: OpenedConfig): Promise<boolean> {
  if (opened.format === "program" || !isSharedFile(opened.file)) return true;
  const read = await parseOpened(opened, 0);
  return read.kind === "problems" || sectionOf(read.document.value) !== undefined;
}

/** The path of a value as written in the file, which may use `mcpServers` instead of `servers`. */
function asWritten([first, ...rest]: Path, { value }: Section): Path {
  const isOther = first === "servers" && isJsonObject(value) && value["mcpServers"] !== undefined;
  return first === undefined ? [] : [isOther ? "mcpServers" : first, ...rest];
}

interface Section {
  readonly value: unknown;
  readonly path: Path;
}

function ourSection(document: Document, file: string): Section | undefined {
  const { value } = document;
  const wrapped = sectionOf(value);
  if (wrapped !== undefined) {
    const misplaced = isOwnFile(file) ? Object.keys(value as object).filter((key) => !WRAPPER_KEYS.has(key)) : [];
    if (misplaced.length === 0) return wrapped;
    const reason = "must be inside `discovery`, because the file has that section";
    throw toError(misplaced.map((key) => problemAt(document, file, { path: [key], reason })));
  }
  return isSharedFile(file) ? undefined : { value, path: [] };
}

const WRAPPER_KEYS = new Set(["discovery", "$schema"]);

export function sectionOf(value: unknown): Section | undefined {
  if (!isJsonObject(value) || value["discovery"] === undefined) return undefined;
  return { value: value["discovery"], path: ["discovery"] };
}

/** Default values for sections and keys that the file does not have. */
type Defaults = Readonly<Record<string, unknown>>;

/** Adds the defaults to a section of the file. An empty section, which YAML reads as null, counts as missing. */
function withDefaults({ value, path }: Section, defaults: Defaults): unknown {
  if (value === null && path.length > 0) return defaults;
  if (!isJsonObject(value)) return value;
  const present = Object.entries(value).filter(
    ([key, section]) => section !== null || !Object.hasOwn(configOptions.shape, key),
  );
  const filled = present.map(([key, section]) => [
    key,
    isJsonObject(section) ? { ...(defaults[key] as object | undefined), ...section } : section,
  ]);
  return { ...defaults, ...Object.fromEntries(filled) };
}

interface Written {
  readonly document: Document;
  readonly section: Section;
  readonly file: string;
}

async function check(written: Written, defaults: Defaults): Promise<Config> {
  const { value } = written.section;
  const checked = checkConfig(withDefaults(written.section, defaults));
  const violations = [...(checked.kind === "ok" ? [] : checked.violations), ...(await findBadPatternsIn(value))];
  if (checked.kind === "ok" && violations.length === 0) return checked.value;
  throw toError(toProblems(violations, written));
}

function toProblems(violations: readonly SchemaViolation[], { document, section, file }: Written): Problem[] {
  return violations.map(({ path, reason }) => problemAt(document, file, { path: [...section.path, ...path], reason }));
}

/** Makes the paths of the store and the registry absolute. */
function withAbsolutePaths(config: Config, paths: { readonly home: string; readonly baseDir: string }): Config {
  const { store, gateway } = config;
  const { registry } = gateway;
  return {
    ...config,
    ...(store === undefined ? {} : { store: absolutePath(store, paths) }),
    ...(registry === undefined ? {} : { gateway: { ...gateway, registry: absolutePath(registry, paths) } }),
  };
}

function problemAt(document: Document, file: string, fault: { path: Path; reason: string }): Problem {
  return { file, path: pathText(fault.path), ...document.positionOf(fault.path), reason: fault.reason };
}
