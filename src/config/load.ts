// Comes in: where the gateway was started and what the person named; goes out: one checked, frozen Config and the file
// it came from. Refuses to know what the sections mean: each stage owns the schema of its own.
import { basename, dirname } from "node:path";
import { isJsonObject } from "../model/json.js";
import { deepFreeze } from "../util/deep-freeze.js";
import { parsePlain } from "../util/document/plain.js";
import { pathText, type Path, type Position, type Problem } from "../util/document/problem.js";
import type { Violation } from "../util/document/schema.js";
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
  type Place,
} from "./locate.js";
import { checkConfig, type Config, configOptions, findHiddenFaults, namesNoServers } from "./options.js";
import { type OpenedConfig, openConfig, parseOpened } from "./read.js";

export interface LoadParts extends LocateParts {
  /** Whether a file of the project may be used with this content. Without it every file may. */
  readonly isTrusted?: (file: string, content: Uint8Array) => boolean;
  /** Another gateway started this one: a file that names no servers has none. */
  readonly isNested?: boolean;
  /** How long a configuration that is a program may run. */
  readonly programTimeoutMs?: number;
}

export interface LoadedConfig {
  readonly config: Config;
  /** The file it came from; undefined when the built-in defaults stand, or a program gave it. */
  readonly file?: string;
  /** Whose file that is. `nested`: another gateway started this one, which therefore has none. */
  readonly origin: Origin | "defaults" | "program" | "nested";
  /** The folder that relative paths in it start from. */
  readonly baseDir: string;
  /** The folder that its servers start in when they do not say so themselves. */
  readonly startDir: string;
  readonly notices: readonly string[];
  /** Nothing says which servers there are, so `config.sources` is `all`. */
  readonly isImplicit: boolean;
  /** Files of the project that were left out, because nobody has trusted them as they are. */
  readonly untrusted: readonly string[];
  /** Whether the `.env` files of the working folder belong to whoever wrote the configuration. */
  readonly trustsFolder: boolean;
  /** Files that make a difference: those it was read from, and those that would be taken if they were there. */
  readonly watched: readonly string[];
  /** Where a member of the configuration was written. */
  readonly positionOf: (path: Path) => Position | undefined;
}

const PROGRAM_TIMEOUT_MS = 10_000;

/** Finds, reads and checks the configuration. Everything that is wrong with it comes in one CONFIGURATION_ERROR. */
export async function loadConfig(parts: LoadParts): Promise<LoadedConfig> {
  const defaults = { search: searchFromEnvironment(parts.env) };
  const untrusted: string[] = [];
  const surroundings = { defaults, parts, untrusted };
  for (const place of await locateConfig(parts)) {
    const loaded = await loadPlace(place, surroundings);
    if (loaded !== undefined) return { ...loaded, untrusted };
  }
  const config = parseConfig({ ...defaults, sources: "all" });
  const nothing = { ...givenConfig(deepFreeze(withEnvironment(config, parts)), parts.cwd), isImplicit: true };
  const watched = candidateFiles(parts);
  return { ...nothing, origin: "defaults", trustsFolder: isOwnFolder(parts), watched, untrusted };
}

/** A configuration that no file holds: a program gives it, and answers for the folder that it runs in. */
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
  return `${file} can start programs and is not trusted as it is now, so it was left out: look at it, then run \`anygpt mcp config trust\`.`;
}

/** Checks a configuration that a program gives, but for the patterns of its rules: whoever compiles the rules checks those. */
export function parseConfig(value: unknown, origin = "The given configuration"): Config {
  const parsed = parsePlain(value);
  if (parsed.kind === "faults") {
    throw toError(parsed.faults.map(({ path, reason }) => ({ file: origin, path: pathText(path), reason })));
  }
  // Positions mean nothing for data that was never written to a file.
  const document: Document = { value: parsed.document.value, positionOf: () => undefined };
  const section = sectionOf(document.value) ?? { value: document.value, path: [] };
  const checked = checkConfig(withDefaults(section, {}));
  if (checked.kind === "ok") return deepFreeze(checked.value);
  throw toError(toProblems(checked.violations, { document, section, file: origin }));
}

interface Surroundings {
  readonly defaults: Defaults;
  readonly parts: LoadParts;
  /** Collects what is left out. */
  readonly untrusted: string[];
}

async function loadPlace(place: Place, surroundings: Surroundings): Promise<LoadedConfig | undefined> {
  const { defaults, parts, untrusted } = surroundings;
  const isExplicit = place.origin === "explicit";
  for (const [index, file] of place.files.entries()) {
    const opened = await openConfig(file);
    if (opened.kind === "problems") {
      // Whoever fills a folder with unreadable files must not keep the gateway from starting in it.
      if (place.origin === "project" && parts.isTrusted?.(file, new Uint8Array()) === false) untrusted.push(file);
      else throw toError(opened.problems);
      continue;
    }
    if (opened.kind === "missing") {
      if (isExplicit) throw missingFile(file);
      continue;
    }
    if (place.origin === "project" && parts.isTrusted?.(file, opened.content) === false) {
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
    const ignored = place.files.slice(index + 1).map((other) => `${other} is ignored, because ${file} comes first.`);
    return {
      config: deepFreeze(withEnvironment(withAbsolutePaths(config, { home: parts.home, baseDir }), parts)),
      file,
      origin: place.origin,
      baseDir,
      startDir: startDir(place, file, parts),
      notices: ignored,
      isImplicit,
      untrusted: [],
      trustsFolder: (place.origin !== "user" && isInside(parts.cwd, file)) || isOwnFolder(parts),
      watched: [...candidateFiles(parts), ...opened.files.keys()],
      positionOf: (path) =>
        opened.format === "program" ? undefined : document.positionOf([...section.path, ...asWritten(path, section)]),
    };
  }
  return undefined;
}

/**
 * The person's own servers start where nobody else puts programs: in the working folder a package runner would prefer what
 * lies there to what the person has named.
 */
function startDir({ origin }: Place, file: string, { home }: LoadParts): string {
  if (origin === "user") return home;
  const folder = dirname(file);
  return origin === "project" && basename(folder) === ".anygpt" ? dirname(folder) : folder;
}

/** A shared file without our section is none of our business, trusted or not. A program would have to be run to know. */
export async function concernsUs(opened: OpenedConfig): Promise<boolean> {
  if (opened.format === "program" || !isSharedFile(opened.file)) return true;
  const read = await parseOpened(opened, 0);
  return read.kind === "problems" || sectionOf(read.document.value) !== undefined;
}

/** The path of a member in the words of the file, which may say `mcpServers`. */
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
    const strangers = isOwnFile(file) ? Object.keys(value as object).filter((key) => !WRAPPER_KEYS.has(key)) : [];
    if (strangers.length === 0) return wrapped;
    const reason = "stands beside `discovery`; write it inside";
    throw toError(strangers.map((key) => problemAt(document, file, { path: [key], reason })));
  }
  return isSharedFile(file) ? undefined : { value, path: [] };
}

const WRAPPER_KEYS = new Set(["discovery", "$schema"]);

export function sectionOf(value: unknown): Section | undefined {
  if (!isJsonObject(value) || value["discovery"] === undefined) return undefined;
  return { value: value["discovery"], path: ["discovery"] };
}

/** Sections that stand in for those that the file does not have, and for keys that its own do not have. */
type Defaults = Readonly<Record<string, unknown>>;

/** A section with nothing in it, which YAML reads as null, is as if it were not there. */
function withDefaults({ value, path }: Section, defaults: Defaults): unknown {
  if (value === null && path.length > 0) return defaults;
  if (!isJsonObject(value)) return value;
  const given = Object.entries(value).filter(
    ([key, section]) => section !== null || !Object.hasOwn(configOptions.shape, key),
  );
  const filled = given.map(([key, section]) => [
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
  const violations = [...(checked.kind === "ok" ? [] : checked.violations), ...(await findHiddenFaults(value))];
  if (checked.kind === "ok" && violations.length === 0) return checked.value;
  throw toError(toProblems(violations, written));
}

function toProblems(violations: readonly Violation[], { document, section, file }: Written): Problem[] {
  return violations.map(({ path, reason }) => problemAt(document, file, { path: [...section.path, ...path], reason }));
}

/** Paths that are used before there is any server: made absolute here, where the folders are known. */
function withAbsolutePaths(config: Config, places: { readonly home: string; readonly baseDir: string }): Config {
  const { store, gateway } = config;
  const { registry } = gateway;
  return {
    ...config,
    ...(store === undefined ? {} : { store: absolutePath(store, places) }),
    ...(registry === undefined ? {} : { gateway: { ...gateway, registry: absolutePath(registry, places) } }),
  };
}

function problemAt(document: Document, file: string, fault: { path: Path; reason: string }): Problem {
  return { file, path: pathText(fault.path), ...document.positionOf(fault.path), reason: fault.reason };
}
