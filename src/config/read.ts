import { extname } from "node:path";
import { parseText } from "../util/document/formats.js";
import { parsePlain } from "../util/document/plain.js";
import { pathText, type Problem } from "../util/document/problem.js";
import { readTextFile } from "../util/document/text.js";
import type { Document, Parsed } from "../util/document/tree.js";
import { cutAtWord, toOneLine } from "../util/text.js";
import { config, defineConfig } from "./define.js";

export type ReadConfig =
  | { readonly kind: "document"; readonly document: Document }
  | { readonly kind: "missing" }
  | { readonly kind: "problems"; readonly problems: readonly Problem[] };

/** Reads a configuration file by its extension. Programs are run, and afresh each time. */
export async function readConfig(file: string): Promise<ReadConfig> {
  const text = await readTextFile(file);
  if (text.kind === "missing") return text;
  if (text.kind === "unreadable") return failed(file, text.reason);
  switch (extname(file).toLowerCase()) {
    case ".json":
    case ".jsonc":
      return toRead(file, await parseText(text.text, "json"));
    case ".yaml":
    case ".yml":
      return toRead(file, await parseText(text.text, "yaml"));
    case ".ts":
    case ".mts":
    case ".js":
    case ".mjs":
      return await runProgram(file);
    default:
      return failed(file, "has an extension other than ts, mts, js, mjs, json, jsonc, yaml or yml");
  }
}

async function runProgram(file: string): Promise<ReadConfig> {
  const { createJiti } = await import("jiti");
  const jiti = createJiti(file, {
    moduleCache: false,
    fsCache: false,
    interopDefault: false,
    // The file may lie where this package is not installed, for example in the home folder.
    virtualModules: { "@anygpt/discovery": { config, defineConfig } },
  });
  try {
    const exported = await jiti.import<Record<string, unknown>>(file);
    const value: unknown = await (exported["default"] ?? exported["config"]);
    if (value === undefined) return failed(file, "exports no configuration; write `export default { … }`");
    return toRead(file, parsePlain(value));
  } catch (error) {
    return { kind: "problems", problems: [toProblem(file, error)] };
  }
}

// Whoever wrote the file needs the first line of its error; jiti (2.7) adds `file:line:column` to a syntax error.
function toProblem(file: string, error: unknown): Problem {
  const message = error instanceof Error ? error.message : String(error);
  const [first = "", second = ""] = message.trim().split("\n");
  const [, line, column] = second.trim().startsWith(file) ? (/:(\d+):(\d+)$/.exec(second.trim()) ?? []) : [];
  return {
    file,
    path: "",
    ...(line === undefined ? {} : { line: Number(line), column: Number(column) }),
    reason: `could not be run: ${cutAtWord(toOneLine(first), 300)}`,
  };
}

function toRead(file: string, parsed: Parsed): ReadConfig {
  if (parsed.kind === "document") return parsed;
  const problems = parsed.faults.map(({ path, position, reason }) => ({
    file,
    path: pathText(path),
    ...position,
    reason,
  }));
  return { kind: "problems", problems };
}

function failed(file: string, reason: string): ReadConfig {
  return { kind: "problems", problems: [{ file, path: "", reason }] };
}
