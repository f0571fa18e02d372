import { readFileSync, realpathSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
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
    const [program = "", ...words] = textOf(`/proc/${ancestor}/cmdline`).split("\0");
    // A shell or package runner that was told to start this very process names it as well.
    if (INTERPRETER.test(program) && words.some((word) => word.includes("/") && paths.includes(realPath(word))))
      return true;
    const stat = textOf(`/proc/${ancestor}/stat`);
    ancestor = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  }
  return false;
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
