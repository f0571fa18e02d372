import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT } from "../support/places.mjs";

/** Finds the source of a function in a build with source maps, by the offset at which the function begins. */
export function createSourceIndex(folder, root = ROOT) {
  const scripts = new Map();

  /** Undefined for scripts outside the build and for code that esbuild itself adds. */
  function find(url, offset) {
    if (!scripts.has(url)) scripts.set(url, openScript(url));
    return scripts.get(url)?.(offset);
  }

  function openScript(url) {
    if (!url.startsWith("file:") && !url.startsWith("/")) return undefined;
    const file = url.startsWith("file:") ? fileURLToPath(url) : url;
    if (relative(folder, file).startsWith("..") || !existsSync(`${file}.map`)) return undefined;
    const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")));
    const starts = lineStartsOf(readFileSync(file, "utf8"));
    return (offset) => {
      const line = lineOf(starts, offset);
      const { originalSource, originalLine, originalColumn } = map.findEntry(line, offset - starts[line]);
      if (originalSource === undefined) return undefined;
      const source = resolve(join(file, ".."), originalSource);
      return {
        file: relative(root, source).replaceAll("\\", "/"),
        line: originalLine + 1,
        column: originalColumn + 1,
      };
    };
  }

  return { find };
}

function lineStartsOf(text) {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The last line that starts at or before the offset. */
function lineOf(starts, offset) {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (starts[middle] <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
