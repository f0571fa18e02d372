import { createHash } from "node:crypto";
import { extname, relative } from "node:path";
import { canonicalJson } from "../util/json/canonical.js";
import { parseText, type Format } from "../util/document/formats.js";
import { pathText, type Problem } from "../util/document/problem.js";
import { readTextFile } from "../util/document/text.js";
import type { Document, Parsed } from "../util/document/tree.js";
import { findLocalFiles, LIMITS, type LocalFile } from "./local-imports.js";
import { runProgram } from "./run-program.js";

/** A configuration file as it lies on disk, read once: what is looked at, trusted and run is this, and nothing read later. */
export interface OpenedConfig {
  readonly kind: "opened";
  readonly file: string;
  readonly format: Format | "program";
  readonly text: string;
  /** What a person trusts: the file, and for a program also the files that it imports by name. */
  readonly content: Uint8Array;
  /** The files that a program is made of, itself among them; for data only the file. */
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

/** Reads a configuration file without understanding or running it. */
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

/** What the file says. A program is run, and afresh each time; one that takes longer than the limit is given up. */
export async function parseOpened(opened: OpenedConfig, timeoutMs: number): Promise<ReadConfig> {
  const { file, text, format } = opened;
  // An empty file is an error: it is what an editor leaves for a moment while it saves.
  if (format !== "program") return toRead(file, await parseText(text, format));
  const result = await runProgram({ file, files: opened.files, timeoutMs });
  if (result.kind === "failed") return failed(result.problem);
  // What is imported was run as it was read. What is required the loader has read by itself, a moment later.
  if ([...opened.files.values()].some(({ requires }) => requires)) {
    const again = await openConfig(file);
    const isSame = again.kind === "opened" && Buffer.compare(again.content, opened.content) === 0;
    if (!isSame) return failed({ file, path: "", reason: "changed, or what it requires did, while it was run" });
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
