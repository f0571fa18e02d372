import { isAbsolute, join, resolve, sep } from "node:path";

/** Replaces a leading `~` with the home folder. `~name` is left unchanged. */
export function expandHome(path: string, home: string): string {
  if (path === "~") return home;
  return /^~[\\/]/.test(path) ? join(home, path.slice(2)) : path;
}

export function absolutePath(path: string, folders: { readonly home: string; readonly baseDir: string }): string {
  const expanded = expandHome(path, folders.home);
  return isAbsolute(expanded) ? expanded : resolve(folders.baseDir, expanded);
}

/** Shortens a path for display: the home folder becomes `~`. */
export function shortenHome(path: string, home: string): string {
  return path.startsWith(`${home}${sep}`) ? `~${path.slice(home.length)}` : path;
}
