import { readFile } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import { concernsUs, type LoadedConfig, type LoadParts, loadConfig } from "../../config/load.js";
import { isOwnFolder, isSharedFile, locateConfig, type Origin } from "../../config/locate.js";
import type { Config } from "../../config/options.js";
import { openConfig } from "../../config/read.js";
import { DiscoveryError } from "../../errors.js";
import { expandHome } from "../../util/home-path.js";
import { hasCode } from "./has-code.js";

/** The configuration file that a command writes to. */
export interface Target {
  readonly file: string;
  /** A program can only be edited by whoever wrote it. */
  readonly format: "json" | "yaml" | "program";
  /** Undefined when the file does not exist yet. */
  readonly bytes: Uint8Array | undefined;
  readonly config: Config | undefined;
  readonly isShared: boolean;
  /** It belongs to the project in the working folder, and needs trust. */
  readonly isProject: boolean;
  /** The file names no servers, so those of every MCP client are used. */
  readonly isImplicit: boolean;
  /** A gateway finds it by itself, wherever it is started. */
  readonly isFoundByItself: boolean;
  /** Another file that is in force in the working folder instead. */
  readonly overriddenBy?: string;
  readonly notes: readonly string[];
}

export interface TargetOptions {
  /** The project's file instead of the user's own. */
  readonly isProject?: boolean;
  /** The name of a file that does not exist yet. */
  readonly newName: string;
}

/** The file that the user names, else their own configuration (or the project's), whatever its format, else a new one. */
export async function findTarget(parts: LoadParts, { isProject = false, newName }: TargetOptions): Promise<Target> {
  const { file, isNamed, ...whose } = await findTargetFile(parts, { isProject, newName });
  const bytes = await readFile(file).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return undefined;
    throw new DiscoveryError("CONFIGURATION_ERROR", `${file} could not be read.`, {
      hint: "Name another with --config.",
    });
  });
  const loaded = bytes === undefined ? undefined : await loadConfig({ ...parts, path: file });
  const inForce = isNamed ? undefined : await loadConfig(parts).catch(() => undefined);
  const isOverridden = !isProject && inForce?.origin === "project" && inForce.file !== undefined;
  return {
    file,
    format: formatOf(file),
    bytes,
    config: loaded?.config,
    isShared: isSharedFile(file),
    ...whose,
    isImplicit: loaded?.isImplicit === true,
    isFoundByItself:
      dirname(file) === join(parts.home, ".anygpt") && basename(file).startsWith("mcp-discovery.config."),
    ...(isOverridden ? { overriddenBy: inForce.file } : {}),
    notes: isNamed ? [] : notesOn(loaded, isOverridden ? inForce.file : undefined),
  };
}

export interface TargetFile extends Pick<Target, "file" | "isProject"> {
  /** The user named it. */
  readonly isNamed: boolean;
}

/** Where the file is, without reading it. */
export async function findTargetFile(
  parts: LoadParts,
  { isProject = false, newName }: TargetOptions,
): Promise<TargetFile> {
  const named = parts.path ?? (parts.env["ANYGPT_CONFIG"] || undefined);
  assertOneFile(named, isProject);
  const file =
    named === undefined
      ? await findFile(parts, { isProject, newName })
      : resolve(parts.cwd, expandHome(named, parts.home));
  return { file, isNamed: named !== undefined, isProject: isProject && !isOwnFolder(parts) };
}

function assertOneFile(named: string | undefined, isProject: boolean): void {
  if (named === undefined || !isProject) return;
  throw new DiscoveryError("INVALID_REQUEST", `Both a file (${named}) and --project were given.`, {
    hint: "Leave one of --config, ANYGPT_CONFIG and --project out.",
  });
}

/** Personal servers, and what is secret in them, have no place in a project's file unless the user says so. */
async function findFile(parts: LoadParts, { isProject, newName }: Required<TargetOptions>): Promise<string> {
  const wanted: Origin = isProject && !isOwnFolder(parts) ? "project" : "user";
  const folder = wanted === "project" ? join(parts.cwd, ".anygpt") : parts.anygptHome;
  const places = await locateConfig(parts);
  for (const { origin, files } of places.filter((place) => place.origin === wanted)) {
    for (const file of files) if (origin === wanted && (await isOurs(file))) return file;
  }
  return join(folder, newName);
}

async function isOurs(file: string): Promise<boolean> {
  const opened = await openConfig(file);
  return opened.kind === "problems" || (opened.kind === "opened" && (await concernsUs(opened)));
}

function notesOn(loaded: LoadedConfig | undefined, inForce: string | undefined): string[] {
  const project =
    inForce === undefined
      ? []
      : [`In this folder ${inForce} is in force instead: what is written here is used everywhere else.`];
  const allows = loaded?.config.toolRules.some(({ enabled }) => enabled === true) === true;
  const rules = allows
    ? ["Your toolRules name the tools that are enabled: those of new servers are not, until a rule names them."]
    : [];
  return [...project, ...rules];
}

function formatOf(file: string): Target["format"] {
  const extension = extname(file).toLowerCase();
  if (extension === ".json" || extension === ".jsonc") return "json";
  if (extension === ".yaml" || extension === ".yml") return "yaml";
  if ([".ts", ".mts", ".js", ".mjs"].includes(extension)) return "program";
  throw new DiscoveryError("INVALID_REQUEST", `${file} has no extension that a configuration can have.`, {
    hint: "Name a file that ends in .json, .jsonc, .yaml or .yml.",
  });
}
