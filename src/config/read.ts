import { createHash } from "node:crypto";
import { extname, relative } from "node:path";
import { canonicalJson } from "../util/json/canonical.js";
import { parseText, type Format } from "../util/document/formats.js";
import { pathText, type Problem } from "../util/document/problem.js";
import { readTextFile } from "../util/document/text.js";
import type { Document, Parsed } from "../util/document/tree.js";
import { findLocalFiles, LIMITS, type LocalFile } from "./local-imports.js";
import { runProgram } from "./run-program.js";

/** The content of a configuration file, read once: exactly these bytes are shown, trusted and run. */
export interface OpenedConfig {
  readonly kind: "opened";
  readonly file: string;
  readonly format: Format | "program";
  readonly text: string;
  /** The content that trust applies to: the file, and for a program also the files that it imports. */
  readonly content: Uint8Array;
  /**
   * The files by path: of a program, its own file and the files that it imports; otherwise only the configuration file.
   */
  readonly files: ReadonlyMap<string, LocalFile>;
}

export type Opening = OpenedConfig | { readonly kind: "missing" } | Problems;

export type ReadConfig = { readonly kind: "document"; readonly document: Document } | Problems;

interface Problems {
  readonly kind: "problems";
  readonly problems: readonly Problem[];
}

const FORMATS: Readonly<Record<string, OpenedConfig["format"]>> = {
  ".json": "json",
  ".jsonc": "json",
  ".yaml": "yaml",
  ".yml": "yaml",
  ".ts": "program",
  ".mts": "program",
  ".js": "program",
  ".mjs": "program",
};

/** Reads a configuration file without parsing or running it. */
export async function openConfig(file: string): Promise<Opening> {
  const read = await readTextFile(file);
  if (read.kind === "missing") return read;
  if (read.kind === "unreadable") return failed({ file, path: "", reason: read.reason });
  const { text } = read;
  const format = FORMATS[extname(file).toLowerCase()];
  if (format === undefined) {
    return failed({ file, path: "", reason: "has an extension other than ts, mts, js, mjs, json, jsonc, yaml or yml" });
  }
  const alone = new Map([[file, { bytes: Buffer.from(text), links: new Map<string, string>(), requires: false }]]);
  const files = format === "program" ? await findLocalFiles(file, text) : alone;
  if (files === undefined) return failed({ file, path: "", reason: `imports more than ${LIMITS}` });
  return { kind: "opened", file, format, text, content: toContent(file, text, files), files };
}

function toContent(file: string, text: string, files: OpenedConfig["files"]): Uint8Array {
  if (files.size === 1) return Buffer.from(text);
  const digests = [...files].map(([path, { bytes }]) => [relative(file, path), digestOf(bytes)]);
  return Buffer.from(canonicalJson(digests.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1))));
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * Parses the file. If the file is a program, runs it again at each call; exceeding the time limit is reported as a
 * problem.
 */
export async function parseOpened(opened: OpenedConfig, timeoutMs: number): Promise<ReadConfig> {
  const { file, text, format } = opened;
  // An empty file is an error, because an editor may leave one for a moment while it saves.
  if (format !== "program") return toRead(file, await parseText(text, format));
  const result = await runProgram({ file, files: opened.files, timeoutMs });
  if (result.kind === "failed") return failed(result.problem);
  // Imports were evaluated from the bytes that were read before. `require` reads the files again, so check that they
  // have not changed.
  if ([...opened.files.values()].some(({ requires }) => requires)) {
    const again = await openConfig(file);
    const isSame = again.kind === "opened" && Buffer.compare(again.content, opened.content) === 0;
    if (!isSame) return failed({ file, path: "", reason: "it or a file that it requires changed while it was run" });
  }
  return toRead(file, result);
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

function failed(problem: Problem): Problems {
  return { kind: "problems", problems: [problem] };
}
