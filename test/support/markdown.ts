import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ROOT } from "./gateway.js";

export interface Page {
  /** Relative to the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/** A fenced code block: "```sh run" has the language `sh` and the mark `run`. */
export interface Fence {
  readonly language: string;
  readonly mark: string;
  readonly text: string;
  /** Its first line on the page. */
  readonly line: number;
}

/** Every page for readers: those at the root, those of docs/, and the README of any other folder. */
export function readMarkdownPages(): readonly Page[] {
  const atRoot = readdirSync(ROOT).filter((name) => name.endsWith(".md"));
  const inDocs = filesBelow("docs").filter((path) => path.endsWith(".md"));
  const others = ["bench", "conformance", "directory", "examples", "model", "packaging", "scripts", "src", "train"]
    .flatMap(filesBelow)
    .filter((path) => path.endsWith(".md"));
  return [...atRoot, ...inDocs, ...others].map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));
}

export function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
}

export function fencesOf(text: string): readonly Fence[] {
  return [...text.matchAll(/^(```+)(\S*)([^\n]*)\n([\s\S]*?)^\1 *$/gm)].map((found) => ({
    language: found[2] ?? "",
    mark: (found[3] ?? "").trim(),
    text: found[4] ?? "",
    line: text.slice(0, found.index).split("\n").length,
  }));
}
