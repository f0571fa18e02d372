import { createScanner } from "jsonc-parser";

/** Tokens that do not end a value. A comma after one of them is a syntax error and is not removed. */
const NOT_A_VALUE: ReadonlySet<string> = new Set(["", "{", "[", ",", ":"]);

/** Removes comments and trailing commas. Does not correct other syntax errors. */
export function toPlainJson(text: string): string {
  const scanner = createScanner(text, false);
  const kept: string[] = [];
  /** The index in `kept` of a comma after a value, while only whitespace and comments follow it. Otherwise -1. */
  let comma = -1;
  let before = "";
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const start = scanner.getTokenOffset();
    const token = text.slice(start, start + scanner.getTokenLength());
    const isComment = token.startsWith("//") || token.startsWith("/*");
    const isSpace = token.trim() === "";
    if ((token === "}" || token === "]") && comma !== -1) kept[comma] = " ";
    if (!isComment && !isSpace) {
      comma = token === "," && !NOT_A_VALUE.has(before) ? kept.length : -1;
      before = token;
    }
    kept.push(isComment ? " " : token);
  }
  return kept.join("");
}
