import { readlinkSync, realpathSync, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import type { OwnProgram } from "../sources/itself.js";
import { packageRoot } from "../util/package-root.js";
import { readRegularTextSync } from "../util/regular-file.js";

const BINS = ["discovery.js", "anygpt.js"];

/**
 * Finds the paths of this gateway's program, so that the gateway recognizes itself in the configurations of MCP
 * clients, even through symbolic links.
 */
export function findOwnProgram(env: Readonly<Record<string, string | undefined>>): OwnProgram {
  const folder = packageRoot();
  const root = isFile(join(folder, "bin", "discovery.js")) ? folder : undefined;
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const found = new Map<string, string | undefined>();
  return {
    paths: root === undefined ? [] : BINS.map((name) => realPath(join(root, "bin", name))),
    ...(root === undefined ? {} : { root: realPath(root) }),
    realPath,
    which(name) {
      if (!found.has(name)) found.set(name, folders.map((folder) => join(folder, name)).find(isFile));
      return found.get(name);
    },
  };
}

const MAX_ANCESTORS = 64;
const INTERPRETER = /(?:^|\/)(?:node|nodejs|bun|deno)$/;

/**
 * Whether the process `pid` or one of its ancestors is a gateway. The environment variable with the nesting depth has
 * the same information, but a process in between may have removed that variable. Works only on systems with `/proc`.
 */
export function hasOwnAncestor({ paths }: OwnProgram, pid: number): boolean {
  let ancestor = pid;
  for (let steps = 0; steps < MAX_ANCESTORS && ancestor > 1; steps++) {
    const script = scriptOf(textOf(`/proc/${ancestor}/cmdline`).split("\0"));
    if (script !== undefined && paths.includes(realPath(resolve(folderOf(ancestor), script)))) return true;
    const stat = textOf(`/proc/${ancestor}/stat`);
    ancestor = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  }
  return false;
}

const TAKES_VALUE =
  /^(?:-r|-C|--require|--import|--preload|--loader|--experimental-loader|--conditions|--env-file|--env-file-if-exists|--title|--config)$/;
const WITHOUT_SCRIPT = /^(?:-$|-pe?$|-e$|--(?:print|eval|run|watch|watch-path)(?:=|$))/;

/**
 * Returns the script that an interpreter process such as Node.js runs. Returns undefined for package runners and
 * shells: the path of the gateway may be among their arguments, but they run it in a child process. The same applies to
 * Node.js with `--watch`.
 */
function scriptOf([program = "", ...words]: readonly string[]): string | undefined {
  if (!INTERPRETER.test(program)) return undefined;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    if (WITHOUT_SCRIPT.test(word)) return undefined;
    if (TAKES_VALUE.test(word)) index += 1;
    else if (!word.startsWith("-") && !(word === "run" && index === 0)) return word === "" ? undefined : word;
  }
  return undefined;
}

function folderOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "/";
  }
}

function textOf(file: string): string {
  try {
    return readRegularTextSync(file);
  } catch {
    return "";
  }
}

function realPath(path: string): string {
  try {
    // `realpathSync.native` needs one system call per path, `realpathSync` one per path segment. Up to 100 servers are
    // checked during startup.
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}
