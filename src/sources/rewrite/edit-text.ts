// Comes in: the text of a file and what is to change in its maps or lists; goes out: the text with exactly that changed, or
// why it was left alone. Refuses to know whose file it is.
import { parse as parseJson, type ParseError } from "jsonc-parser";
import type { FileFormat } from "../formats/parse.js";
import { applyChange, type Change, type Edited, edited, isSameDocument, refused } from "./change.js";

/**
 * Makes the changes one after the other, then reads the result anew and compares everything with what was meant: what was
 * not to change must not have, or nothing is written at all.
 */
export async function editText(text: string, format: FileFormat, changes: readonly Change[]): Promise<Edited> {
  const before = await readAll(text, format);
  if (before === undefined) return refused("could not be read as a whole; correct it first");
  let now = text;
  for (const change of changes) {
    const result = await editOne(now, format, change);
    if (result.kind === "refused") return result;
    now = result.text;
  }
  const after = await readAll(now, format);
  const meant = changes.reduce(applyChange, before.value);
  if (after === undefined || !isSameDocument(after.value, meant, changes)) {
    return refused("is laid out in a way that cannot be edited safely");
  }
  return edited(now);
}

async function editOne(text: string, format: FileFormat, change: Change): Promise<Edited> {
  if (format === "json") return (await import("./json-text.js")).editJson(text, change);
  if (format === "toml") return (await import("./toml-text.js")).editToml(text, change);
  return (await import("./yaml-text.js")).editYaml(text, change);
}

/** The whole document as data; undefined when it is not valid. */
export async function readAll(text: string, format: FileFormat): Promise<{ readonly value: unknown } | undefined> {
  if (text.trim() === "") return { value: {} };
  if (format === "json") return readJson(text);
  if (format === "toml") return (await import("./toml-text.js")).readToml(text);
  return (await import("./yaml-text.js")).readYaml(text);
}

function readJson(text: string): { readonly value: unknown } | undefined {
  const errors: ParseError[] = [];
  const value: unknown = parseJson(text, errors, { allowTrailingComma: true });
  return errors.length === 0 ? { value } : undefined;
}
