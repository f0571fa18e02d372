import { parseText } from "../../util/document/formats.js";
import type { Parsed } from "../../util/document/tree.js";
import type { Wanted } from "./json-section.js";

export type FileFormat = "json" | "yaml" | "toml";

/** What of a file concerns us: some of its top-level keys, or for JSON also of the keys below them. */
export interface Section {
  readonly format: FileFormat;
  readonly keys: readonly string[] | "all";
  /** Of JSON, narrows the keys further; asked for the keys and for the members of their values. */
  readonly wanted?: Wanted;
  /** Of YAML, the only members of their values that are wanted. */
  readonly members?: readonly string[];
}

const NOTHING: Parsed = { kind: "document", document: { value: {}, positionOf: () => undefined } };

/** Parses what concerns us of another program's file. The parsers are loaded when first needed. */
export async function parseSection(text: string, { format, keys, wanted, members }: Section): Promise<Parsed> {
  if (format === "toml") return (await import("./toml.js")).parseToml(text);
  if (format === "yaml") {
    const { keepYamlSections } = await import("./yaml-section.js");
    const kept = keys === "all" ? text : keepYamlSections(text, { keys, members });
    return isBlank(kept) ? NOTHING : await parseText(kept, "yaml");
  }
  // Programs leave an empty file behind when they have nothing to say yet.
  if (text.trim() === "") return NOTHING;
  if (keys === "all") return await parseText(text, "json");
  const { keepJsonSections } = await import("./json-section.js");
  const isWanted: Wanted = (path) => keys.includes(path[0] ?? "") && (wanted?.(path) ?? true);
  return await parseText(keepJsonSections(text, isWanted), "json");
}

function isBlank(text: string): boolean {
  return text.split("\n").every((line) => /^\s*(?:#.*)?$/.test(line));
}
