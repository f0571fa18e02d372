import { posix, win32 } from "node:path";

/** The machine and the project whose files are looked for: an argument, so that every platform can be tested on any. */
export interface System {
  readonly platform: string;
  readonly home: string;
  /** The project: where the gateway was started. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The path functions of the system that is looked at, which need not be the one that we run on. */
export function pathsOf({ platform }: Pick<System, "platform">): typeof posix {
  return platform === "win32" ? win32 : posix;
}

/** Joins the parts onto a folder of the system. */
export function under(system: System, folder: string, ...parts: readonly string[]): string {
  return pathsOf(system).join(folder, ...parts);
}

export function inHome(system: System, ...parts: readonly string[]): string {
  return under(system, system.home, ...parts);
}

export function inProject(system: System, ...parts: readonly string[]): string {
  return under(system, system.cwd, ...parts);
}

/** A place that the environment names. A relative one would be anybody's who fills the folder that we run in. */
export function namedPlace(system: System, variable: string): string | undefined {
  const path = system.env[variable];
  return path !== undefined && pathsOf(system).isAbsolute(path) ? path : undefined;
}

/** `~/.config`, or where `XDG_CONFIG_HOME` says; also on systems that have a place of their own for applications. */
export function configHome(system: System): string {
  return namedPlace(system, "XDG_CONFIG_HOME") ?? inHome(system, ".config");
}

/** Where applications keep their settings: `AppData\Roaming`, `Library/Application Support` or `~/.config`. */
export function applicationData(system: System): string {
  if (system.platform === "win32") return namedPlace(system, "APPDATA") ?? inHome(system, "AppData", "Roaming");
  if (system.platform === "darwin") return inHome(system, "Library", "Application Support");
  return configHome(system);
}

export function localApplicationData(system: System): string {
  return namedPlace(system, "LOCALAPPDATA") ?? inHome(system, "AppData", "Local");
}

/** Whether two paths of the system name the same place; Windows ignores case and the direction of slashes. */
export function isSamePath(system: System, left: string, right: string): boolean {
  return comparable(system, left) === comparable(system, right);
}

function comparable(system: System, path: string): string {
  const paths = pathsOf(system);
  const normal = paths.normalize(path);
  const trimmed = normal.length > 1 ? normal.replace(/[\\/]$/, "") : normal;
  return system.platform === "win32" ? trimmed.toLowerCase() : trimmed;
}
