// Applies changes to maps and lists in the text of a file, or returns the reason why the text cannot be edited.
import { parse as parseJson, type ParseError } from "jsonc-parser";
import type { FileFormat } from "../formats/parse.js";
import { applyChange, type Change, type TextEdit, edited, isSameDocument, refused } from "./change.js";

/**
 * Applies the changes, then parses the result and compares it with the expected document: if anything else changed, the
 * edit is rejected and nothing is written.
 */
export async function editText(text: string, format: FileFormat, changes: readonly Change[]): Promise<TextEdit> {
  const before = await parseWhole(text, format);
  if (before === undefined) return refused("is not valid; correct it first");
  let now = text;
  for (const change of changes) {
    const result = await editOne(now, format, change);
    if (result.kind === "refused") return result;
    now = result.text;
  }
  const after = await parseWhole(now, format);
  const expected = changes.reduce(applyChange, before.value);
  if (after === undefined || !isSameDocument(after.value, expected, changes)) {
    return refused("has a layout that cannot be edited safely");
  }
  return edited(now);
}

async function editOne(text: string, format: FileFormat, change: Change): Promise<TextEdit> {
  if (format === "json") return (await import("./json-text.js")).editJson(text, change);
  if (format === "toml") return (await import("./toml-text.js")).editToml(text, change);
  return (await import("./yaml-text.js")).editYaml(text, change);
}

/** The parsed document; undefined if the text is not valid. */
export async function parseWhole(text: string, format: FileFormat): Promise<{ readonly value: unknown } | undefined> {
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
