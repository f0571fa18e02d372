import { extname } from "node:path";
import { createJiti } from "jiti";
import { isJsonObject } from "../model/json.js";
import type { LocalFile } from "./local-imports.js";

export interface ModuleParts {
  readonly file: string;
  /**
   * The source files of the configuration program, by path. Imports evaluate this content, even if the files on disk
   * have changed.
   */
  readonly files: ReadonlyMap<string, LocalFile>;
  /** The exports of modules that have no file, by import specifier. */
  readonly virtual: Readonly<Record<string, unknown>>;
}

/** Evaluates a module and its imports and returns its exports. Nothing is cached between calls. */
export async function evaluateModule({ file, files, virtual }: ModuleParts): Promise<unknown> {
  const running = new Map<string, Promise<unknown>>();

  async function evaluate(path: string, importers: readonly string[]): Promise<unknown> {
    const { bytes = new Uint8Array(), links = new Map<string, string>() } = files.get(path) ?? {};
    const text = Buffer.from(bytes)
      .toString("utf8")
      .replace(/^\uFEFF/, "");
    if (extname(path) === ".json") return JSON.parse(text);
    const virtualModules = { ...virtual };
    for (const [specifier, target] of links) {
      // Leave circular imports to jiti, which supports them.
      if (target === path || importers.includes(target)) continue;
      const get = async (): Promise<unknown> => asModule(await once(target, [...importers, path]));
      Object.defineProperty(virtualModules, specifier, { get });
    }
    const jiti = createJiti(path, { moduleCache: false, fsCache: false, interopDefault: false, virtualModules });
    return await jiti.evalModule(text, { id: path, filename: path, async: true, forceTranspile: true });
  }

  function once(path: string, importers: readonly string[]): Promise<unknown> {
    const already = running.get(path) ?? evaluate(path, importers);
    running.set(path, already);
    return already;
  }

  return await once(file, []);
}

/**
 * Presents a JSON or CommonJS value as an ES module: the value itself is the default export, and its members are named
 * exports.
 */
function asModule(value: unknown): unknown {
  if (!isJsonObject(value)) return { default: value };
  return value["__esModule"] === true ? value : { ...value, default: value };
}
