import type { Parsed } from "./tree.js";

export type Format = "json" | "yaml";

/** Parses a text. The parsers are loaded on first use, because most starts need one of them or none. */
export async function parseText(text: string, format: Format): Promise<Parsed> {
  if (format === "json") return (await import("./json.js")).parseJson(text);
  return (await import("./yaml.js")).parseYaml(text);
}
