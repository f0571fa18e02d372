import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";

/** Resolves symbolic links. For a path that does not exist, resolves those of its folder. */
export function realPath(path: string): string {
  const whole = resolve(path);
  try {
    return realpathSync(whole);
  } catch {
    const folder = dirname(whole);
    return folder === whole ? whole : join(realPath(folder), basename(whole));
  }
}

/** Whether the path is below the folder. Symbolic links are not resolved. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== "" && !isAbsolute(way) && !/^\.\.(?:[\\/]|$)/.test(way);
}

/**
 * Whether the author of the project in the working folder may have written the file or selected it by a link. False for
 * the user's own files in the home folder, even if the working folder is the home folder or a parent of it.
 */
export function isProjectFile(file: string, { cwd, home }: { readonly cwd: string; readonly home: string }): boolean {
  const [folder, own, real] = [cwd, home, file].map(realPath) as [string, string, string];
  if (folder === own) return false;
  if (isInside(folder, own) && isInside(own, real) && (isInside(home, file) || isInside(own, file))) return false;
  return isInside(folder, real) || isInside(cwd, file) || isInside(folder, file);
}
