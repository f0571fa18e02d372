import { readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { expandHome } from "../util/home-path.js";

/** In the order of preference where one folder holds several. */
export const EXTENSIONS = ["ts", "mts", "js", "mjs", "json", "jsonc", "yaml", "yml"] as const;

export interface LocateParts {
  readonly cwd: string;
  /** The person's home folder. */
  readonly home: string;
  /** The folder for state and the person's own configuration, usually `~/.anygpt`. */
  readonly anygptHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A file that the person named. */
  readonly path?: string;
}

/** One place to look in: its files in the order of preference. */
export interface Place {
  readonly files: readonly string[];
  /** Named by the person: it must be there, and there is no other place. */
  readonly explicit: boolean;
}

/** The places where a configuration may lie, the first to be looked at first; only files that exist. */
export async function locateConfig(parts: LocateParts): Promise<readonly Place[]> {
  const named = parts.path ?? (parts.env["ANYGPT_CONFIG"] || undefined);
  if (named !== undefined) {
    return [{ files: [resolve(parts.cwd, expandHome(named, parts.home))], explicit: true }];
  }
  const places = await Promise.all([
    filesOf(join(parts.cwd, ".anygpt"), "mcp-discovery.config"),
    filesOf(parts.cwd, "anygpt.config"),
    filesOf(parts.anygptHome, "mcp-discovery.config"),
  ]);
  return places.filter((files) => files.length > 0).map((files) => ({ files, explicit: false }));
}

/** A file shared with other programs: only its section `discovery` is ours. */
export function isSharedFile(file: string): boolean {
  return basename(file).startsWith("anygpt.config.");
}

/** A file that is all ours: whatever stands beside a `discovery` wrapper is a mistake. */
export function isOwnFile(file: string): boolean {
  return basename(file).startsWith("mcp-discovery.config.");
}

async function filesOf(folder: string, stem: string): Promise<string[]> {
  const names = new Set(await readdir(folder).catch(() => []));
  return EXTENSIONS.map((extension) => `${stem}.${extension}`)
    .filter((name) => names.has(name))
    .map((name) => join(folder, name));
}
