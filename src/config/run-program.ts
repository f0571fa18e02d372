import { parsePlain } from "../util/document/plain.js";
import type { Problem } from "../util/document/problem.js";
import type { Parsed } from "../util/document/tree.js";
import { cutAtWord, toOneLine } from "../util/text.js";
import { config, defineConfig } from "./define.js";

export type ProgramResult = Parsed | { readonly kind: "failed"; readonly problem: Problem };

const OURS = { config, defineConfig };

/** Runs a configuration that is a program, afresh each time, and gives what it exports as plain data. */
export async function runProgram(file: string): Promise<ProgramResult> {
  const { createJiti } = await import("jiti");
  const jiti = createJiti(file, {
    moduleCache: false,
    fsCache: false,
    interopDefault: false,
    // The file may lie where this package is not installed, for example in the home folder.
    virtualModules: { "@anygpt/discovery": OURS },
  });
  try {
    const exported = await withGlobals(() => jiti.import<Record<string, unknown>>(file));
    const value: unknown = await (exported["default"] ?? exported["config"]);
    if (value === undefined) return failed(file, { reason: "exports no configuration; write `export default { … }`" });
    return parsePlain(value);
  } catch (error) {
    return failed(file, explain(file, error));
  }
}

const before = new Map<string, PropertyDescriptor | undefined>();
let running = 0;

/** `config` and `defineConfig` are there without an import while files are run, as other programs of the family have it; the last to finish cleans up. */
async function withGlobals<Result>(run: () => Promise<Result>): Promise<Result> {
  running += 1;
  if (running === 1) {
    for (const [name, value] of Object.entries(OURS)) {
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

// Whoever wrote the file needs the first line of its error; jiti (2.7) adds `file:line:column` to a syntax error.
function explain(file: string, error: unknown): Omit<Problem, "file" | "path"> {
  const message = error instanceof Error ? error.message : String(error);
  const [first = "", second = ""] = message.trim().split("\n");
  const [, line, column] = second.trim().startsWith(file) ? (/:(\d+):(\d+)$/.exec(second.trim()) ?? []) : [];
  return {
    ...(line === undefined ? {} : { line: Number(line), column: Number(column) }),
    reason: `could not be run: ${cutAtWord(toOneLine(first), 300)}`,
  };
}

function failed(file: string, problem: Omit<Problem, "file" | "path">): ProgramResult {
  return { kind: "failed", problem: { file, path: "", ...problem } };
}
