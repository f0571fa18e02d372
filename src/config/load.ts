// Comes in: where the gateway was started and what the person named; goes out: one checked, frozen Config and the file
// it came from. Refuses to know what the sections mean: each stage owns the schema of its own.
import { dirname } from "node:path";
import { isJsonObject } from "../model/json.js";
import { deepFreeze } from "../util/deep-freeze.js";
import { parsePlain } from "../util/document/plain.js";
import { pathText, type Path, type Problem } from "../util/document/problem.js";
import { checkSchema, type Violation } from "../util/document/schema.js";
import type { Document } from "../util/document/tree.js";
import { absolutePath } from "../util/home-path.js";
import { searchFromEnvironment } from "./environment.js";
import { missingFile, toError } from "./failure.js";
import { isOwnFile, isSharedFile, locateConfig, type LocateParts, type Place } from "./locate.js";
import { configOptions, findHiddenFaults, type Config } from "./options.js";
import { readConfig } from "./read.js";

export type LoadParts = LocateParts;

export interface LoadedConfig {
  readonly config: Config;
  /** The file it came from; undefined when the built-in defaults stand. */
  readonly file?: string;
  /** The folder that relative paths in it start from. */
  readonly baseDir: string;
  readonly notices: readonly string[];
}

/** Finds, reads and checks the configuration. Everything that is wrong with it comes in one CONFIGURATION_ERROR. */
export async function loadConfig(parts: LoadParts): Promise<LoadedConfig> {
  const defaults = { search: searchFromEnvironment(parts.env) };
  for (const place of await locateConfig(parts)) {
    const loaded = await loadPlace(place, { defaults, home: parts.home });
    if (loaded !== undefined) return loaded;
  }
  return { config: parseConfig(defaults), baseDir: parts.cwd, notices: [] };
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
  const checked = checkSchema(configOptions, withDefaults(section, {}));
  if (checked.kind === "ok") return deepFreeze(checked.value);
  throw toError(toProblems(checked.violations, { document, section, file: origin }));
}

interface Surroundings {
  readonly defaults: Defaults;
  readonly home: string;
}

async function loadPlace(place: Place, { defaults, home }: Surroundings): Promise<LoadedConfig | undefined> {
  for (const [index, file] of place.files.entries()) {
    const read = await readConfig(file);
    if (read.kind === "problems") throw toError(read.problems);
    if (read.kind === "missing") {
      if (place.explicit) throw missingFile(file);
      continue;
    }
    const section = ourSection(read.document, file);
    if (section === undefined && !place.explicit) continue;
    if (section === undefined)
      throw toError([problemAt(read.document, file, { path: ["discovery"], reason: "is missing" })]);
    const config = await check({ document: read.document, section, file }, defaults);
    const baseDir = dirname(file);
    const ignored = place.files.slice(index + 1).map((other) => `${other} is ignored, because ${file} comes first.`);
    return { config: deepFreeze(withAuditFile(config, { home, baseDir })), file, baseDir, notices: ignored };
  }
  return undefined;
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

function sectionOf(value: unknown): Section | undefined {
  if (!isJsonObject(value) || value["discovery"] === undefined) return undefined;
  return { value: value["discovery"], path: ["discovery"] };
}

/** Sections that stand in for those that the file does not have, and for keys that its own do not have. */
type Defaults = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A section with nothing in it, which YAML reads as null, is as if it were not there. */
function withDefaults({ value, path }: Section, defaults: Defaults): unknown {
  if (value === null && path.length > 0) return defaults;
  if (!isJsonObject(value)) return value;
  const given = Object.entries(value).filter(
    ([key, section]) => section !== null || !Object.hasOwn(configOptions.shape, key),
  );
  const filled = given.map(([key, section]) => [
    key,
    isJsonObject(section) ? { ...defaults[key], ...section } : section,
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
  const checked = checkSchema(configOptions, withDefaults(written.section, defaults));
  const violations = [...(checked.kind === "ok" ? [] : checked.violations), ...(await findHiddenFaults(value))];
  if (checked.kind === "ok" && violations.length === 0) return checked.value;
  throw toError(toProblems(violations, written));
}

function toProblems(violations: readonly Violation[], { document, section, file }: Written): Problem[] {
  return violations.map(({ path, reason }) => problemAt(document, file, { path: [...section.path, ...path], reason }));
}

/** The one path that is used before there is any server: made absolute here, where the folders are known. */
function withAuditFile(config: Config, places: { readonly home: string; readonly baseDir: string }): Config {
  const { file } = config.audit;
  return file === undefined ? config : { ...config, audit: { ...config.audit, file: absolutePath(file, places) } };
}

function problemAt(document: Document, file: string, fault: { path: Path; reason: string }): Problem {
  return { file, path: pathText(fault.path), ...document.positionOf(fault.path), reason: fault.reason };
}
