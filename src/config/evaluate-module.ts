import { extname } from "node:path";
import { createJiti } from "jiti";
import { isJsonObject } from "../model/json.js";
import type { LocalFile } from "./local-imports.js";

export interface ModuleParts {
  readonly file: string;
  /** What the program is made of; what is imported from it is run as it is given here, whatever lies on disk by now. */
  readonly files: ReadonlyMap<string, LocalFile>;
  /** Modules that are there though no file holds them. */
  readonly virtual: Readonly<Record<string, unknown>>;
}

/** Runs a module and what it imports, afresh each time, and gives what it exports. */
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
      // Modules that import each other are left to the loader, which knows how to begin a circle.
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

/** JSON and CommonJS as an import sees them: whole as the default, and their members by name. */
function asModule(value: unknown): unknown {
  if (!isJsonObject(value)) return { default: value };
  return value["__esModule"] === true ? value : { ...value, default: value };
}
