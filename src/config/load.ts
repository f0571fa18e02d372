// Finds, reads and validates the configuration. Each stage owns the schema of its section.
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
  /** Whether a project file may be used with this content. Without this function every file may. */
  readonly isTrusted?: (file: string, content: Uint8Array) => boolean;
  /** Another gateway started this process: a file without servers then means no servers. */
  readonly isNested?: boolean;
  /** The time limit for a configuration that is a program. */
  readonly programTimeoutMs?: number;
}

/** `nested`: another gateway started this process, so it uses no file. */
export type LoadedOrigin = Origin | "defaults" | "program" | "nested";

export interface LoadedConfig {
  readonly config: Config;
  /** The configuration file; undefined for the built-in defaults and for a configuration passed by a program. */
  readonly file?: string;
  readonly origin: LoadedOrigin;
  /** The folder from which relative paths in the configuration start. */
  readonly baseDir: string;
  /** The default working folder of its servers. */
  readonly startDir: string;
  readonly notices: readonly string[];
  /** The configuration lists no servers, so `config.sources` is `all`. */
  readonly isImplicit: boolean;
  /** Project files that were skipped because their current content is not trusted. */
  readonly untrusted: readonly string[];
  /** Whether the `.env` files in the working folder are trusted together with the configuration. */
  readonly trustsFolder: boolean;
  /** Files to watch: the files that were read, and files that would be used if they existed. */
  readonly watched: readonly string[];
  /** The position of a member of the configuration in the file. */
  readonly positionOf: (path: Path) => Position | undefined;
}

const PROGRAM_TIMEOUT_MS = 10_000;

/** Finds, reads and validates the configuration. One CONFIGURATION_ERROR lists all problems. */
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

/** A configuration passed by a program instead of a file; the program is trusted to choose the working folder. */
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

/** Validates a configuration that a program passes. Does not check the patterns of rules: compiling the rules does. */
export function parseConfig(value: unknown, origin?: string): Config {
  const written = readPassed(value, origin);
  const checked = checkConfig(withDefaults(written.section, {}));
  if (checked.kind === "ok") return deepFreeze(checked.value);
  throw toError(toProblems(checked.violations, written));
}

/** Validates a configuration that a program passes, including the patterns of the rules and of the policy. */
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
  /** Receives the skipped files. */
  readonly untrusted: string[];
}

async function loadLocation(location: SearchLocation, context: LoadContext): Promise<LoadedConfig | undefined> {
  const { defaults, parts, untrusted } = context;
  const isExplicit = location.origin === "explicit";
  for (const [index, file] of location.files.entries()) {
    const opened = await openConfig(file);
    if (opened.kind === "problems") {
      // An unreadable file in a project must not prevent the gateway from starting there.
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
    const ignored = location.files.slice(index + 1).map((other) => `${other} is ignored, because ${file} comes first.`);
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
 * The user's own servers do not start in the working folder: there a package runner such as npx would prefer programs of
 * the project to the ones that the user configured.
 */
function startDir({ origin }: SearchLocation, file: string, { home }: LoadParts): string {
  if (origin === "user") return home;
  const folder = dirname(file);
  return origin === "project" && basename(folder) === ".anygpt" ? dirname(folder) : folder;
}

/** A shared file without the section `discovery` is ignored, trusted or not. For a program this is unknown until it runs. */
export async function concernsUs(opened: OpenedConfig): Promise<boolean> {
  if (opened.format === "program" || !isSharedFile(opened.file)) return true;
  const read = await parseOpened(opened, 0);
  return read.kind === "problems" || sectionOf(read.document.value) !== undefined;
}

/** The path as written in the file, which may use `mcpServers` instead of `servers`. */
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

/** Fills in the defaults. An empty section, which YAML reads as null, counts as missing. */
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
