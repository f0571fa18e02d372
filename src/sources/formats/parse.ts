import { parseText } from "../../util/document/formats.js";
import type { Parsed } from "../../util/document/tree.js";
import type { WantedPath } from "./json-section.js";

export type FileFormat = "json" | "yaml" | "toml";

/** The part of a file that is needed: some top-level keys, and for JSON optionally some keys below them. */
export interface Section {
  readonly format: FileFormat;
  readonly keys: readonly string[] | "all";
  /** JSON only: a further filter on the top-level keys and the keys one level below. */
  readonly wanted?: WantedPath;
  /** YAML only: the members to keep in the value of each key. */
  readonly members?: readonly string[];
}

const NOTHING: Parsed = { kind: "document", document: { value: {}, positionOf: () => undefined } };

/** Parses the needed part of another program's file. The parsers are loaded on first use. */
export async function parseSection(text: string, { format, keys, wanted, members }: Section): Promise<Parsed> {
  if (format === "toml") return (await import("./toml.js")).parseToml(text);
  if (format === "yaml") {
    const { keepYamlSections } = await import("./yaml-section.js");
    const kept = keys === "all" ? text : keepYamlSections(text, { keys, members });
    return isBlank(kept) ? NOTHING : await parseText(kept, "yaml");
  }
  // Programs create an empty file before they have content for it.
  if (text.trim() === "") return NOTHING;
  if (keys === "all") return await parseText(text, "json");
  const { keepJsonSections } = await import("./json-section.js");
  const isWanted: WantedPath = (path) => keys.includes(path[0] ?? "") && (wanted?.(path) ?? true);
  return await parseText(keepJsonSections(text, isWanted), "json");
}

function isBlank(text: string): boolean {
  return text.split("\n").every((line) => /^\s*(?:#.*)?$/.test(line));
}
