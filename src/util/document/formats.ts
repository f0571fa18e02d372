import type { Parsed } from "./tree.js";

export type Format = "json" | "yaml";

/**
 * Parses a text in the given format. Each parser is loaded on first use, because the program rarely needs more than
 * one.
 */
export async function parseText(text: string, format: Format): Promise<Parsed> {
  if (format === "json") return (await import("./json.js")).parseJson(text);
  return (await import("./yaml.js")).parseYaml(text);
}
