// Keeps a copy of this program in the state folder if it runs from a temporary folder of `npx`, `pnpm dlx` or `bunx`.
// MCP clients start the gateway in the folder of a project; there, `npx` would prefer the project's own packages and
// settings to the ones of the user.
import { randomBytes } from "node:crypto";
import { constants, existsSync, realpathSync } from "node:fs";
import { cp, mkdir, rename, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DiscoveryError } from "../../errors.js";
import { isJsonObject } from "../../model/json.js";
import { type GatewayStart, gatewayStart } from "../../sources/rewrite/slots.js";
import type { OwnProgram } from "../../sources/itself.js";
import { ensurePrivateFolder } from "../../util/private-files.js";
import { readRegularText } from "../../util/regular-file.js";
import { VERSION } from "../../version.js";

/** A copy to make before a client's file refers to it. */
export interface ProgramCopy {
  /** The folder of the running package. */
  readonly from: string;
  /** The folder of all copies. */
  readonly folder: string;
}

const CURRENT = "current";
const PACKAGE = "@anygpt/discovery";

export function programFolder(stateFolder: string): string {
  return join(stateFolder, "program");
}

/** How clients start the gateway of this installation, and the copy that they need for it. */
export function findStart(
  own: OwnProgram,
  stateFolder: string,
): { readonly start: GatewayStart; readonly copy?: ProgramCopy } {
  const folder = programFolder(stateFolder);
  const start = gatewayStart(own, stableNode(process.execPath), join(folder, CURRENT, "node_modules", PACKAGE));
  return start.kind === "copy" && own.root !== undefined ? { start, copy: { from: own.root, folder } } : { start };
}

/**
 * Homebrew removes the folder of a version when it installs the next one. The link to the current version stays.
 * Exported for tests.
 */
export function stableNode(path: string, realPath: (path: string) => string = realpathSync.native): string {
  const [, prefix, formula] = /^(.*)\/Cellar\/([^/]+)\/[^/]+\/bin\/node$/.exec(path) ?? [];
  if (prefix === undefined) return path;
  const linked = `${prefix}/opt/${formula}/bin/node`;
  try {
    return realPath(linked) === realPath(path) ? linked : path;
  } catch {
    return path;
  }
}

/** Copies the package with its dependencies, and lets `current` point to the copy. A copy of one version is kept. */
export async function copyProgram({ from, folder }: ProgramCopy, version = VERSION): Promise<void> {
  try {
    await ensurePrivateFolder(folder);
    const target = join(folder, version);
    if (!existsSync(target)) await copyTo(target, from);
    await pointTo(target, join(folder, CURRENT));
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
    throw new DiscoveryError("CONFIGURATION_ERROR", `This program could not be copied to ${folder}${code}.`, {
      hint: [
        "MCP clients would start that copy. Check that the disk has free space, or install the program first.",
        { action: "run-command", command: `npm install -g ${PACKAGE}`, purpose: "install it" },
      ],
      cause,
    });
  }
}

/** The final name appears when the copy is complete. */
async function copyTo(target: string, from: string): Promise<void> {
  const draft = `${target}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    const modules = join(draft, "node_modules");
    const placed = new Map<string, string>();
    await place({ name: PACKAGE, from: realpathSync.native(from), modules, root: modules, placed });
    await rename(draft, target).catch((error: NodeJS.ErrnoException) => {
      // Another process has made the same copy in the meantime.
      if (!existsSync(target)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

interface Placing {
  readonly name: string;
  /** The real path of the package. */
  readonly from: string;
  /** Where the package is looked for first by the one that depends on it. */
  readonly modules: string;
  readonly root: string;
  /** The packages in `root`, by name, with their real paths. */
  readonly placed: Map<string, string>;
}

/** Copies a package and, next to it, its dependencies; one of another version goes into the package that needs it. */
async function place({ name, from, modules, root, placed }: Placing): Promise<void> {
  if (placed.get(name) === from) return;
  const isFirst = !placed.has(name);
  const target = join(isFirst ? root : modules, name);
  if (isFirst) placed.set(name, from);
  await mkdir(dirname(target), { recursive: true });
  await cp(from, target, {
    recursive: true,
    dereference: true,
    mode: constants.COPYFILE_FICLONE,
    // Dependencies are copied one by one, because they may also be in a folder above the package.
    filter: (path) => path !== join(from, "node_modules"),
  });
  for (const dependency of await dependenciesOf(from)) {
    const found = findPackage(dependency.name, from);
    if (found === undefined && dependency.isOptional) continue;
    if (found === undefined) throw new Error(`${dependency.name}, which ${name} needs, is not installed.`);
    await place({ name: dependency.name, from: found, modules: join(target, "node_modules"), root, placed });
  }
}

async function dependenciesOf(folder: string): Promise<{ readonly name: string; readonly isOptional: boolean }[]> {
  const manifest: unknown = JSON.parse(await readRegularText(join(folder, "package.json")));
  const namesIn = (key: string): string[] => {
    const list = isJsonObject(manifest) ? manifest[key] : undefined;
    return isJsonObject(list) ? Object.keys(list) : [];
  };
  const optional = new Set(namesIn("optionalDependencies"));
  return [...new Set([...namesIn("dependencies"), ...optional])].map((name) => ({
    name,
    isOptional: optional.has(name),
  }));
}

/** Looks for a package as Node.js does: in `node_modules` of the folder and of each folder above it. */
function findPackage(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return realpathSync.native(candidate);
    if (dirname(folder) === folder) return undefined;
  }
}

/** A gateway that runs keeps its files: Node.js has resolved the link, and old copies are not removed. */
async function pointTo(target: string, link: string): Promise<void> {
  const draft = `${link}.${randomBytes(4).toString("hex")}.tmp`;
  // Windows allows every user to create a junction.
  await symlink(target, draft, "junction");
  if (process.platform === "win32") await rm(link, { force: true, recursive: true });
  await rename(draft, link);
}
