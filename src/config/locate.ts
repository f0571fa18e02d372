import { readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { expandHome } from "../util/home-path.js";
import { isInside, realPath } from "../util/inside.js";

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

/**
 * Whose a place is. `explicit`: named by the person, so it must be there and there is no other. `project`: of the working
 * folder, which anybody may have filled. `user`: the person's own.
 */
export type Origin = "explicit" | "project" | "user";

/** One place to look in: its files in the order of preference. */
export interface Place {
  readonly files: readonly string[];
  readonly origin: Origin;
}

/** The places where a configuration may lie, the first to be looked at first; only files that exist. */
export async function locateConfig(parts: LocateParts): Promise<readonly Place[]> {
  const named = namedFile(parts);
  if (named !== undefined) return [{ files: [named], origin: "explicit" }];
  const places = await Promise.all(
    stemsOf(parts).map(async ({ folder, stem, origin }) => ({ files: await filesOf(folder, stem), origin })),
  );
  return places.filter(({ files }) => files.length > 0);
}

/** Every file that would be taken if it were there: what to keep an eye on. */
export function candidateFiles(parts: LocateParts): readonly string[] {
  const named = namedFile(parts);
  if (named !== undefined) return [named];
  return stemsOf(parts).flatMap(({ folder, stem }) =>
    EXTENSIONS.map((extension) => join(folder, `${stem}.${extension}`)),
  );
}

/** Nobody else fills the person's home folder; who works there works in no project. */
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
  // Whoever fills the working folder may link to the person's own configuration: it stays where and what it is.
  if (realPath(folder) === realPath(anygptHome)) return project === "user" ? [own, shared] : [shared, own];
  return [{ folder, stem: "mcp-discovery.config", origin: project }, shared, own];
}

/** A link that leads out of the working folder is followed, so that what the files say is not about the working folder. */
function projectFolder(cwd: string): string {
  const written = join(cwd, ".anygpt");
  const real = realPath(written);
  return isInside(realPath(cwd), real) ? written : real;
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
