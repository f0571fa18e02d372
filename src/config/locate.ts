import { readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { expandHome } from "../util/home-path.js";
import { isInside, realPath } from "../util/inside.js";

/** Extensions of configuration files. If a folder has several of these files, the first extension in this list wins. */
export const EXTENSIONS = ["ts", "mts", "js", "mjs", "json", "jsonc", "yaml", "yml"] as const;

export interface LocateParts {
  readonly cwd: string;
  /** The user's home folder. */
  readonly home: string;
  /** The folder for state and for the user's own configuration, usually `~/.anygpt`. */
  readonly anygptHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The configuration file that the option `--config` names. */
  readonly path?: string;
}

/**
 * The origin of a configuration file. `explicit`: named by an option or an environment variable; the file must exist,
 * and no other file is used. `project`: in the working folder, which may come from an untrusted author. `user`: the
 * user's own.
 */
export type Origin = "explicit" | "project" | "user";

/** A folder that is searched for configuration files, and the files to use there in order of preference. */
export interface SearchLocation {
  readonly files: readonly string[];
  readonly origin: Origin;
}

/**
 * The locations that have configuration files, in search order. All these files exist, except that an `explicit` file
 * may be missing.
 */
export async function locateConfig(parts: LocateParts): Promise<readonly SearchLocation[]> {
  const named = namedFile(parts);
  if (named !== undefined) return [{ files: [named], origin: "explicit" }];
  const locations = await Promise.all(
    stemsOf(parts).map(async ({ folder, stem, origin }) => ({ files: await filesOf(folder, stem), origin })),
  );
  return locations.filter(({ files }) => files.length > 0);
}

/** Every file that would be used if it existed: the files to watch. */
export function candidateFiles(parts: LocateParts): readonly string[] {
  const named = namedFile(parts);
  if (named !== undefined) return [named];
  return stemsOf(parts).flatMap(({ folder, stem }) =>
    EXTENSIONS.map((extension) => join(folder, `${stem}.${extension}`)),
  );
}

/** Whether the working folder is the home folder: it belongs to the user and is no project. */
export function isOwnFolder({ cwd, home }: Pick<LocateParts, "cwd" | "home">): boolean {
  return realPath(cwd) === realPath(home);
}

function namedFile({ path, env, cwd, home }: LocateParts): string | undefined {
  const named = path ?? (env["ANYGPT_CONFIG"] || undefined);
  return named === undefined ? undefined : resolve(cwd, expandHome(named, home));
}

function stemsOf(parts: LocateParts): { folder: string; stem: string; origin: Origin }[] {
  const { cwd, anygptHome } = parts;
  const project = isOwnFolder(parts) ? "user" : "project";
  const folder = projectFolder(cwd);
  const own = { folder: anygptHome, stem: "mcp-discovery.config", origin: "user" } as const;
  const shared = { folder: cwd, stem: "anygpt.config", origin: project } as const;
  // A project may link `.anygpt` to the user's own folder: its configuration then still has the origin `user`.
  if (realPath(folder) === realPath(anygptHome)) return project === "user" ? [own, shared] : [shared, own];
  return [{ folder, stem: "mcp-discovery.config", origin: project }, shared, own];
}

/**
 * The project's `.anygpt` folder. A link out of the working folder is resolved, so relative paths start from its
 * target.
 */
function projectFolder(cwd: string): string {
  const written = join(cwd, ".anygpt");
  const real = realPath(written);
  return isInside(realPath(cwd), real) ? written : real;
}

/** Whether the file is shared with other programs. The gateway reads only its section `discovery`. */
export function isSharedFile(file: string): boolean {
  return basename(file).startsWith("anygpt.config.");
}

/** Whether the file is only for this gateway. Other keys next to its section `discovery` are an error. */
export function isOwnFile(file: string): boolean {
  return basename(file).startsWith("mcp-discovery.config.");
}

async function filesOf(folder: string, stem: string): Promise<string[]> {
  const names = new Set(await readdir(folder).catch(() => []));
  return EXTENSIONS.map((extension) => `${stem}.${extension}`)
    .filter((name) => names.has(name))
    .map((name) => join(folder, name));
}
