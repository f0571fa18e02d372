import { readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { OwnProgram } from "./sources/itself.js";

const BINS = ["discovery.js", "anygpt.js"];

/** Where this very gateway lies, so that it knows itself in other programs' files under any name and through any link. */
export function findOwnProgram(env: Readonly<Record<string, string | undefined>>): OwnProgram {
  // Code run from `src/` is one folder below the package's root, a bundled chunk two.
  const roots = ["..", "../.."].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const root = roots.find((folder) => isFile(join(folder, "bin", "discovery.js")));
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

const MOST_ANCESTORS = 64;
const INTERPRETER = /(?:^|\/)(?:node|nodejs|bun|deno)$/;

/**
 * Whether a process of this gateway is among those that led to this one. The environment tells the same, but whatever stands
 * between may have cleared it. Known where the system has `/proc`.
 */
export function hasOwnAncestor({ paths }: OwnProgram, pid: number): boolean {
  let ancestor = pid;
  for (let steps = 0; steps < MOST_ANCESTORS && ancestor > 1; steps++) {
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
 * The script that a process runs itself. Whoever starts us for somebody else (a package runner, an inspector, a shell) names
 * us further back among its words, and with `--watch` an interpreter runs nothing but the process that runs the script.
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
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function realPath(path: string): string {
  try {
    // A hundred servers are looked at in one start; the other way takes a call for each part of each path.
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
