import { readFile } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import { type LoadedConfig, type LoadParts, loadConfig } from "../../config/load.js";
import { isSharedFile, locateConfig } from "../../config/locate.js";
import type { Config } from "../../config/options.js";
import { DiscoveryError } from "../../errors.js";
import { expandHome } from "../../util/home-path.js";
import { hasCode } from "./has-code.js";

/** The configuration that an import writes to. */
export interface Target {
  readonly file: string;
  /** A program can only be edited by whoever wrote it. */
  readonly format: "json" | "yaml" | "program";
  /** Undefined when the file does not exist yet. */
  readonly bytes: Uint8Array | undefined;
  readonly config: Config | undefined;
  readonly isShared: boolean;
  /** A gateway finds it by itself, wherever it is started. */
  readonly isFoundByItself: boolean;
  readonly notes: readonly string[];
}

const NAME = "mcp-discovery.config.json";

/** The file that the person names, else their own configuration, whatever its format, else a new one. */
export async function findTarget(parts: LoadParts): Promise<Target> {
  const named = parts.path ?? (parts.env["ANYGPT_CONFIG"] || undefined);
  const file =
    named === undefined
      ? ((await ownFile(parts)) ?? join(parts.anygptHome, NAME))
      : resolve(parts.cwd, expandHome(named, parts.home));
  const bytes = await readFile(file).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return undefined;
    throw new DiscoveryError("CONFIGURATION_ERROR", `${file} could not be read.`, {
      hint: "Name another with --config.",
    });
  });
  const loaded = bytes === undefined ? undefined : await loadConfig({ ...parts, path: file });
  return {
    file,
    format: formatOf(file),
    bytes,
    config: loaded?.config,
    isShared: isSharedFile(file),
    isFoundByItself:
      dirname(file) === join(parts.home, ".anygpt") && basename(file).startsWith("mcp-discovery.config."),
    notes: named === undefined ? await notesOn(parts, loaded) : [],
  };
}

/** Personal servers, and what is secret in them, have no place in a project's file. */
async function ownFile(parts: LoadParts): Promise<string | undefined> {
  const places = await locateConfig(parts);
  return places.find(({ origin }) => origin === "user")?.files[0];
}

async function notesOn(parts: LoadParts, loaded: LoadedConfig | undefined): Promise<string[]> {
  const inForce = await loadConfig(parts).catch(() => undefined);
  const project =
    inForce?.origin === "project"
      ? [`In this folder ${inForce.file} is in force instead: what is imported is used everywhere else.`]
      : [];
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
