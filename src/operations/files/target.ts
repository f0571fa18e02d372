import { basename, dirname, extname, join, resolve } from "node:path";
import { concernsUs, type LoadedConfig, type LoadParts, loadConfig } from "../../config/load.js";
import { isOwnFolder, isSharedFile, locateConfig, type Origin } from "../../config/locate.js";
import type { Config } from "../../config/options.js";
import { openConfig } from "../../config/read.js";
import { DiscoveryError } from "../../errors.js";
import { expandHome } from "../../util/home-path.js";
import { readRegularFile } from "../../util/regular-file.js";
import { hasCode } from "./has-code.js";

/** The configuration file that a command writes to. */
export interface EditTarget {
  readonly file: string;
  /** `program`: a JavaScript or TypeScript module, which commands cannot edit. */
  readonly format: "json" | "yaml" | "program";
  /** The content of the file. Undefined if the file does not exist. */
  readonly bytes: Uint8Array | undefined;
  readonly config: Config | undefined;
  readonly isShared: boolean;
  /** True if the file belongs to the project in the working folder, and needs trust. */
  readonly isProject: boolean;
  /** True if the file lists no servers, so that the gateway uses the servers of all MCP clients. */
  readonly isImplicit: boolean;
  /** True if the gateway uses the file in every working folder, without --config. */
  readonly isDefaultFile: boolean;
  /** Another configuration file that the gateway uses in the working folder instead. */
  readonly overriddenBy?: string;
  readonly notes: readonly string[];
}

export interface TargetOptions {
  /** Select the project's file instead of the user's. */
  readonly isProject?: boolean;
  /** The file name to use if there is no configuration file yet. */
  readonly newName: string;
}

/**
 * Finds the file to edit: the one that the user names, else the existing configuration of the user or the project, else
 * a new file.
 */
export async function findTarget(parts: LoadParts, { isProject = false, newName }: TargetOptions): Promise<EditTarget> {
  const { file, isNamed, ...whose } = await findTargetFile(parts, { isProject, newName });
  const bytes = await readRegularFile(file).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return undefined;
    throw new DiscoveryError("CONFIGURATION_ERROR", `${file} could not be read.`, {
      hint: "Name another file with --config.",
    });
  });
  const loaded = bytes === undefined ? undefined : await loadConfig({ ...parts, path: file });
  const effective = isNamed ? undefined : await loadConfig(parts).catch(() => undefined);
  const isOverridden = !isProject && effective?.origin === "project" && effective.file !== undefined;
  return {
    file,
    format: formatOf(file),
    bytes,
    config: loaded?.config,
    isShared: isSharedFile(file),
    ...whose,
    isImplicit: loaded?.isImplicit === true,
    isDefaultFile: dirname(file) === join(parts.home, ".anygpt") && basename(file).startsWith("mcp-discovery.config."),
    ...(isOverridden ? { overriddenBy: effective.file } : {}),
    notes: isNamed ? [] : notesOn(loaded, isOverridden ? effective.file : undefined),
  };
}

export interface TargetFile extends Pick<EditTarget, "file" | "isProject"> {
  /** True if the user named the file. */
  readonly isNamed: boolean;
}

/** Finds the file without reading it. */
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
  throw new DiscoveryError(
    "INVALID_REQUEST",
    `The command names a configuration file (${named}) and also has --project.`,
    {
      hint: "Use only one of --config, ANYGPT_CONFIG and --project.",
    },
  );
}

/**
 * Selects the project's file only if the user asks for it: other users of the project must not get personal servers and
 * secrets.
 */
async function findFile(parts: LoadParts, { isProject, newName }: Required<TargetOptions>): Promise<string> {
  const wanted: Origin = isProject && !isOwnFolder(parts) ? "project" : "user";
  const folder = wanted === "project" ? join(parts.cwd, ".anygpt") : parts.anygptHome;
  const locations = await locateConfig(parts);
  for (const { origin, files } of locations.filter((location) => location.origin === wanted)) {
    for (const file of files) if (origin === wanted && (await isOurs(file))) return file;
  }
  return join(folder, newName);
}

async function isOurs(file: string): Promise<boolean> {
  const opened = await openConfig(file);
  return opened.kind === "problems" || (opened.kind === "opened" && (await concernsUs(opened)));
}

function notesOn(loaded: LoadedConfig | undefined, effective: string | undefined): string[] {
  const project =
    effective === undefined
      ? []
      : [`In this folder, the gateway uses ${effective} instead. The edited file applies to all other folders.`];
  const allows = loaded?.config.toolRules.some(({ enabled }) => enabled === true) === true;
  const rules = allows
    ? ["Your toolRules list the enabled tools. Tools of new servers are disabled until a rule enables them."]
    : [];
  return [...project, ...rules];
}

function formatOf(file: string): EditTarget["format"] {
  const extension = extname(file).toLowerCase();
  if (extension === ".json" || extension === ".jsonc") return "json";
  if (extension === ".yaml" || extension === ".yml") return "yaml";
  if ([".ts", ".mts", ".js", ".mjs"].includes(extension)) return "program";
  throw new DiscoveryError("INVALID_REQUEST", `${file} does not have the extension of a configuration file.`, {
    hint: "Name a file that ends in .json, .jsonc, .yaml or .yml.",
  });
}
