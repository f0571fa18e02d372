import { posix, win32 } from "node:path";

/**
 * The machine and project whose files are searched. It is passed as an argument, so that each platform can be tested on
 * any other.
 */
export interface System {
  readonly platform: string;
  readonly home: string;
  /** The project folder: where the gateway was started. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The path functions of the given platform, which may differ from the current one. */
export function pathsOf({ platform }: Pick<System, "platform">): typeof posix {
  return platform === "win32" ? win32 : posix;
}

export function under(system: System, folder: string, ...parts: readonly string[]): string {
  return pathsOf(system).join(folder, ...parts);
}

export function inHome(system: System, ...parts: readonly string[]): string {
  return under(system, system.home, ...parts);
}

export function inProject(system: System, ...parts: readonly string[]): string {
  return under(system, system.cwd, ...parts);
}

/**
 * Returns the absolute path in an environment variable. A relative path is ignored, because it would refer to the
 * working folder.
 */
export function pathFromEnvironment(system: System, variable: string): string | undefined {
  const path = system.env[variable];
  return path !== undefined && pathsOf(system).isAbsolute(path) ? path : undefined;
}

/** `$XDG_CONFIG_HOME` or `~/.config`; also on macOS and Windows. */
export function configHome(system: System): string {
  return pathFromEnvironment(system, "XDG_CONFIG_HOME") ?? inHome(system, ".config");
}

/** The folder for application settings: `AppData\Roaming`, `Library/Application Support` or `~/.config`. */
export function applicationData(system: System): string {
  if (system.platform === "win32")
    return pathFromEnvironment(system, "APPDATA") ?? inHome(system, "AppData", "Roaming");
  if (system.platform === "darwin") return inHome(system, "Library", "Application Support");
  return configHome(system);
}

export function localApplicationData(system: System): string {
  return pathFromEnvironment(system, "LOCALAPPDATA") ?? inHome(system, "AppData", "Local");
}

/** Whether two paths are the same; Windows ignores case and the direction of slashes. */
export function isSamePath(system: System, left: string, right: string): boolean {
  return comparable(system, left) === comparable(system, right);
}

function comparable(system: System, path: string): string {
  const paths = pathsOf(system);
  const normal = paths.normalize(path);
  const trimmed = normal.length > 1 ? normal.replace(/[\\/]$/, "") : normal;
  return system.platform === "win32" ? trimmed.toLowerCase() : trimmed;
}
