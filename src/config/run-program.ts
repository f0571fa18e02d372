import { isJsonObject } from "../model/json.js";
import { parsePlain } from "../util/document/plain.js";
import type { Position, Problem } from "../util/document/problem.js";
import type { Parsed } from "../util/document/tree.js";
import { cutAtWord, toOneLine } from "../util/text.js";
import { config, defineConfig } from "./define.js";
import type { LocalFile } from "./local-imports.js";

export type ProgramResult = Parsed | { readonly kind: "failed"; readonly problem: Problem };

const EXPORTS = { config, defineConfig };

export interface ConfigProgram {
  readonly file: string;
  /** The files of the program; exactly this content is run, even if the files on disk changed. */
  readonly files: ReadonlyMap<string, LocalFile>;
  readonly timeoutMs: number;
}

/** Runs a configuration program and returns its export as plain data. Nothing is cached between calls. */
export async function runProgram({ file, files, timeoutMs }: ConfigProgram): Promise<ProgramResult> {
  const { evaluateModule } = await import("./evaluate-module.js");
  try {
    // The configuration may be in a folder where this package is not installed, such as the home folder.
    const virtual = { "@anygpt/discovery": EXPORTS };
    const run = async (): Promise<unknown> => await configOf(await evaluateModule({ file, files, virtual }));
    const value = await withGlobals(() => within(timeoutMs, run()));
    if (value === TIMED_OUT) return failed(file, { reason: `did not finish within ${timeoutMs / 1000} s` });
    if (value === undefined) return failed(file, { reason: "exports no configuration; write `export default { … }`" });
    return parsePlain(value);
  } catch (error) {
    return explain(file, files, error);
  }
}

/** The configuration in the exports of an ES or CommonJS module; undefined if the module exports nothing. */
function configOf(exported: unknown): unknown {
  if (!isJsonObject(exported)) return exported;
  if (exported["__esModule"] === true) return exported["default"] ?? exported["config"];
  const isNothing = Object.getPrototypeOf(exported) === Object.prototype && Object.keys(exported).length === 0;
  return isNothing ? undefined : exported;
}

const TIMED_OUT = Symbol("never");

async function within<Result>(ms: number, work: Promise<Result>): Promise<Result | typeof TIMED_OUT> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<typeof TIMED_OUT>((resolve) => {
    timer = setTimeout(() => resolve(TIMED_OUT), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

const before = new Map<string, PropertyDescriptor | undefined>();
let running = 0;

/**
 * Defines the globals `config` and `defineConfig` while configuration programs run, so that they need no import, as in
 * other anygpt programs. When the last program finishes, the previous globals are restored.
 */
async function withGlobals<Result>(run: () => Promise<Result>): Promise<Result> {
  running += 1;
  if (running === 1) {
    for (const [name, value] of Object.entries(EXPORTS)) {
      before.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    }
  }
  try {
    return await run();
  } finally {
    running -= 1;
    if (running === 0) before.forEach(restore);
  }
}

function restore(descriptor: PropertyDescriptor | undefined, name: string): void {
  if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
  else Object.defineProperty(globalThis, name, descriptor);
}

/** The message of a thrown value; empty for an object that is not an Error, which has no useful text. */
function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === "object" && error !== null ? "" : String(error);
}

// Show only the first line of the error; jiti (2.7) adds `file:line:column` to a syntax error.
function explain(file: string, files: ConfigProgram["files"], error: unknown): ProgramResult {
  const [first = "", second = ""] = messageOf(error).trim().split("\n");
  const reason = `could not be run: ${cutAtWord(toOneLine(first), 300) || "it threw a value without a message"}`;
  for (const path of files.keys()) {
    const position = positionIn(path, second);
    // jiti counts columns from 0.
    if (position !== undefined) return failed(path, { line: position.line, column: position.column + 1, reason });
  }
  const frames = error instanceof Error ? (error.stack ?? "").split("\n") : [];
  const [thrower] = frames.flatMap((frame) => [...files].filter(([path]) => positionIn(path, frame) !== undefined));
  return thrower === undefined
    ? failed(file, { reason })
    : failed(thrower[0], { ...positionInStack(thrower[0], thrower[1].bytes, frames), reason });
}

function positionIn(file: string, text: string): Position | undefined {
  const at = text.lastIndexOf(`${file}:`);
  const [, line, column] = at === -1 ? [] : (/^:(\d+):(\d+)/.exec(text.slice(at + file.length)) ?? []);
  return line === undefined ? undefined : { line: Number(line), column: Number(column) };
}

/**
 * The position from a stack trace. jiti preserves lines but not columns, so the first character of the line is used.
 */
function positionInStack(file: string, bytes: Uint8Array, frames: readonly string[]): Position | undefined {
  const line = frames.flatMap((frame) => positionIn(file, frame) ?? [])[0]?.line;
  if (line === undefined) return undefined;
  const text = Buffer.from(bytes).toString("utf8").split("\n")[line - 1] ?? "";
  return { line, column: (/^\s*/.exec(text)?.[0].length ?? 0) + 1 };
}

function failed(file: string, problem: Omit<Problem, "file" | "path">): ProgramResult {
  return { kind: "failed", problem: { file, path: "", ...problem } };
}
