import { extname } from "node:path";
import { parseText, type Format } from "../util/document/formats.js";
import { pathText, type Problem } from "../util/document/problem.js";
import { readTextFile } from "../util/document/text.js";
import type { Document, Parsed } from "../util/document/tree.js";
import { runProgram } from "./run-program.js";

export type ReadConfig =
  | { readonly kind: "document"; readonly document: Document }
  | { readonly kind: "missing" }
  | { readonly kind: "problems"; readonly problems: readonly Problem[] };

/** Reads a configuration file by its extension. Programs are run, and afresh each time. */
export async function readConfig(file: string): Promise<ReadConfig> {
  const text = await readTextFile(file);
  if (text.kind === "missing") return text;
  if (text.kind === "unreadable") return failed({ file, path: "", reason: text.reason });
  switch (extname(file).toLowerCase()) {
    case ".json":
    case ".jsonc":
      return await readText(file, text.text, "json");
    case ".yaml":
    case ".yml":
      return await readText(file, text.text, "yaml");
    case ".ts":
    case ".mts":
    case ".js":
    case ".mjs": {
      const result = await runProgram(file);
      return result.kind === "failed" ? failed(result.problem) : toRead(file, result);
    }
    default:
      return failed({
        file,
        path: "",
        reason: "has an extension other than ts, mts, js, mjs, json, jsonc, yaml or yml",
      });
  }
}

// An empty file is an error: it is what an editor leaves for a moment while it saves.
async function readText(file: string, text: string, format: Format): Promise<ReadConfig> {
  return toRead(file, await parseText(text, format));
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

function failed(problem: Problem): ReadConfig {
  return { kind: "problems", problems: [problem] };
}
