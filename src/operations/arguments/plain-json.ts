import { createScanner } from "jsonc-parser";

/** No value has ended there, so that a comma is one too many. */
const OPENING: ReadonlySet<string> = new Set(["", "{", "[", ",", ":"]);

/** The same text without comments and trailing commas. What else is wrong with it stays. */
export function toPlainJson(text: string): string {
  const scanner = createScanner(text, false);
  const kept: string[] = [];
  /** Where the last comma stands in `kept`, while it follows a value and nothing but space and comments follows it. */
  let comma = -1;
  let before = "";
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const start = scanner.getTokenOffset();
    const token = text.slice(start, start + scanner.getTokenLength());
    const isComment = token.startsWith("//") || token.startsWith("/*");
    const isSpace = token.trim() === "";
    if ((token === "}" || token === "]") && comma !== -1) kept[comma] = " ";
    if (!isComment && !isSpace) {
      comma = token === "," && !OPENING.has(before) ? kept.length : -1;
      before = token;
    }
    kept.push(isComment ? " " : token);
  }
  return kept.join("");
}
