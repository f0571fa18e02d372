// Comes in: where the gateway was started and what the person named; goes out: one checked, frozen Config and the file
// it came from. Refuses to know what the sections mean: each stage owns the schema of its own.
import { dirname } from "node:path";
import { DiscoveryError } from "../errors.js";
import { isJsonObject } from "../model/json.js";
import { deepFreeze } from "../util/deep-freeze.js";
import { parsePlain } from "../util/document/plain.js";
import { describeInFile, describeProblem, pathText, type Path, type Problem } from "../util/document/problem.js";
import { checkSchema } from "../util/document/schema.js";
import type { Document } from "../util/document/tree.js";
import { isOwnFile, isSharedFile, locateConfig, type LocateParts, type Place } from "./locate.js";
import { configOptions, type Config } from "./options.js";
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
  for (const place of await locateConfig(parts)) {
    const loaded = await loadPlace(place);
    if (loaded !== undefined) return loaded;
  }
  return { config: parseConfig({}), baseDir: parts.cwd, notices: [] };
}

/** Checks a configuration that a program gives. */
export function parseConfig(value: unknown, origin = "The given configuration"): Config {
  const parsed = parsePlain(value);
  if (parsed.kind === "faults") {
    throw toError(parsed.faults.map(({ path, reason }) => ({ file: origin, path: pathText(path), reason })));
  }
  // Positions mean nothing for data that was never written to a file.
  const document: Document = { value: parsed.document.value, positionOf: () => undefined };
  const section = sectionOf(document.value);
  return check(document, section ?? { value: document.value, path: [] }, origin);
}

async function loadPlace(place: Place): Promise<LoadedConfig | undefined> {
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
    const config = check(read.document, section, file);
    const notices = place.files.slice(index + 1).map((other) => `${other} is ignored, because ${file} comes first.`);
    return { config, file, baseDir: dirname(file), notices };
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

function check(document: Document, section: Section, file: string): Config {
  const checked = checkSchema(configOptions, section.value);
  if (checked.kind === "ok") return deepFreeze(checked.value);
  throw toError(
    checked.violations.map(({ path, reason }) =>
      problemAt(document, file, { path: [...section.path, ...path], reason }),
    ),
  );
}

function problemAt(document: Document, file: string, fault: { path: Path; reason: string }): Problem {
  return { file, path: pathText(fault.path), ...document.positionOf(fault.path), reason: fault.reason };
}

const MOST_IN_MESSAGE = 5;

function toError(found: readonly Problem[]): DiscoveryError {
  const problems = [...found].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  const [first] = problems;
  const file = first?.file ?? "The configuration";
  const listed = problems.slice(0, MOST_IN_MESSAGE).map(describeInFile).join("; ");
  const more = problems.length > MOST_IN_MESSAGE ? `; and ${problems.length - MOST_IN_MESSAGE} more` : "";
  const message =
    first !== undefined && problems.length === 1
      ? describeProblem(first)
      : `${file} has ${problems.length} problems: ${listed}${more}`;
  return new DiscoveryError("CONFIGURATION_ERROR", message.endsWith("?") ? message : `${message}.`, {
    hint: "Correct the configuration; docs/configuration.md lists every key.",
    facts: { problems },
  });
}

function missingFile(file: string): DiscoveryError {
  return new DiscoveryError("CONFIGURATION_ERROR", `${file} does not exist.`, {
    hint: "Check the path given by --config or ANYGPT_CONFIG.",
    facts: { problems: [{ file, path: "", reason: "does not exist" }] },
  });
}
