import { isJsonObject } from "../../model/json.js";
import { type Path, pathText } from "../../util/document/problem.js";
import { isEqualJson } from "../../util/json/is-equal.js";
import type { FileFormat } from "../formats/parse.js";
import { parseWhole } from "./edit-text.js";
import { decodeText } from "./encoded-text.js";

const MAX_DEPTH = 3;
const MAX_PATHS = 10;

/** The paths at which two contents of a file differ, without the values, which may be secret. */
export async function changedPaths(before: Uint8Array, after: Uint8Array, format: FileFormat): Promise<string[]> {
  const [left, right] = await Promise.all([before, after].map((bytes) => valueOf(bytes, format)));
  if (left === undefined || right === undefined) return ["the whole file"];
  const found = [...differences(left.value, right.value, [])];
  if (found.length === 0) return ["comments or white space"];
  const shown = found.slice(0, MAX_PATHS).map((path) => pathText(path) || "the whole file");
  return found.length > MAX_PATHS ? [...shown, `${found.length - MAX_PATHS} more`] : shown;
}

async function valueOf(bytes: Uint8Array, format: FileFormat): Promise<{ readonly value: unknown } | undefined> {
  const content = decodeText(bytes);
  return content === undefined ? undefined : await parseWhole(content.text, format);
}

function* differences(left: unknown, right: unknown, path: Path): Generator<Path> {
  if (isEqualJson(left, right)) return;
  if (path.length === MAX_DEPTH || !isJsonObject(left) || !isJsonObject(right)) return yield path;
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    yield* differences(left[key], right[key], [...path, key]);
  }
}
